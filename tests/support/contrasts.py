"""The contrast of every text on an open page."""

CONTRASTS = """() => {
  const channel = (c) => { c /= 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgb = (colour) => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = (c) => 0.2126 * channel(c[0]) + 0.7152 * channel(c[1]) + 0.0722 * channel(c[2]);
  const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
  const ground = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = rgb(getComputedStyle(e).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return rgb("white");
  };
  const probe = document.body.appendChild(document.createElement("div"));
  probe.style.backgroundColor = "var(--bar)";
  const bar = rgb(getComputedStyle(probe).backgroundColor);
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.textContent.trim() || element.closest("script, svg, .skip") || !element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    found.push([ratio(rgb(style.color), ground(element)), node.textContent.trim().slice(0, 40)]);
    if (element.matches("td.share")) found.push([ratio(rgb(style.color), bar), "on a bar"]);
  }
  return found;
}"""
