"use strict";
{
  const frames = JSON.parse(document.getElementById("frames").textContent);
  const byId = (id) => document.getElementById(id);
  const nodes = new Map([...document.querySelectorAll(".node")].map((node) => [node.dataset.name, node]));
  const movers = [...document.querySelectorAll(".mover")], links = [...document.querySelectorAll(".link")];
  const steps = [...document.querySelectorAll("[data-go]")];
  const last = frames.length - 1, PACE = 1700;
  let at = 0, timer = 0;

  function show(next) {
    at = Math.max(0, Math.min(last, next));
    const frame = frames[at];
    byId("words").textContent = frame.words;
    byId("aside").textContent = [frame.aside, frame.end].filter(Boolean).join(" ");
    byId("caption").className = frame.player;
    for (const [name, node] of nodes) {
      node.setAttribute("class", `node tone-${frame.tones[name]}${node.classList.contains("critical") ? " critical" : ""}${frame.changed.includes(name) ? " changed" : ""}${frame.aim === name ? " aimed" : ""}`);
      node.querySelector(".status").textContent = frame.nodes[name][1];
    }
    for (const mover of movers) mover.setAttribute("transform", `translate(${frame.at[mover.dataset.mover].join(" ")})`);
    links.forEach((link, k) => link.classList.toggle("hot", frame.hot.includes(k)));
    steps.forEach((step, k) => (k + 1 === at ? step.setAttribute("aria-current", "step") : step.removeAttribute("aria-current")));
    follow(frame.aim || frame.changed[0]);
    byId("at").value = at;
    byId("place").textContent = `${at} of ${last}`;
    byId("back").disabled = at === 0;
    byId("on").disabled = at === last;
  }

  // A picture that is larger than its frame shows the place that the move is about.
  function follow(name) {
    const picture = byId("picture"), box = nodes.get(name)?.getBoundingClientRect(), frame = picture.getBoundingClientRect();
    if (!box || (box.left >= frame.left && box.right <= frame.right && box.top >= frame.top && box.bottom <= frame.bottom)) return;
    picture.scrollLeft += box.left + box.width / 2 - frame.left - frame.width / 2;
    picture.scrollTop += box.top + box.height / 2 - frame.top - frame.height / 2;
  }

  function pause() {
    clearInterval(timer);
    timer = 0;
    byId("play").textContent = "▶ Play";
  }

  function toggle() {
    if (timer) return pause();
    if (at === last) show(0);
    byId("play").textContent = "❚❚ Pause";
    timer = setInterval(() => {
      show(at + 1);
      if (at === last) pause();
    }, PACE);
  }

  const go = (next) => { pause(); show(next); };
  byId("play").addEventListener("click", toggle);
  byId("back").addEventListener("click", () => go(at - 1));
  byId("on").addEventListener("click", () => go(at + 1));
  byId("at").addEventListener("input", (event) => go(Number(event.target.value)));
  for (const step of steps) step.addEventListener("click", () => go(Number(step.dataset.go)));
  document.addEventListener("keydown", (event) => {
    if (event.target.matches("input, summary, [data-go]")) return;
    if (event.key === "ArrowRight") go(at + 1);
    else if (event.key === "ArrowLeft") go(at - 1);
    else if (event.key === " " && !event.target.matches("button")) { event.preventDefault(); toggle(); }
  });
  byId("controls").hidden = last < 1;
  show(0);
}
