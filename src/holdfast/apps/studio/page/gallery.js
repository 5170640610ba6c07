/* The scenarios that come with Holdfast, each with what one learns from it. */

import { dialog } from "./dialogs.js";
import { h } from "./dom.js";

/** Let one be chosen; its name, or null. */
export async function askGallery(library) {
  let chosen = null;
  const card = ({ name, title, learn, verdict }) => h("button", { value: "chosen", class: "card", onclick: () => { chosen = name; } },
    h("strong", {}, title.replace(/\.$/, "")), h("span", { class: verdict.startsWith("NOT") ? "bad-words" : "good-words" }, verdict.startsWith("NOT") ? "lost" : verdict ? "held" : ""), h("span", { class: "quiet" }, learn));
  const { done } = dialog("Examples", h("div", { class: "gallery" }, library.map(card)), [["Close", ""]], { class: "wide" });
  return (await done) ? chosen : null;
}
