/* Files: open, save, import, drop, download. Nothing is written unless it was asked for. */

import { fetchFile, get, post, write, ask } from "./api.js";
import { askText, confirm, dialog, menu } from "./dialogs.js";
import { button, byId, fill, h } from "./dom.js";
import { say } from "./edits.js";
import { abandoned, discard } from "./session.js";
import { change, isDirty, open, state, subscribe } from "./store.js";

/** Whether the work in sight may go. */
const mayLeave = async () => !isDirty() || confirm("Leave unsaved changes?", `${state.file.name ?? "This scenario"} has changes that are not saved.`, "Leave them", "main bad");

export function notice(...contents) {
  const box = byId("notice");
  box.replaceChildren(...contents, contents.length ? button("×", () => notice(), { class: "plain", "aria-label": "Dismiss" }) : "");
  box.hidden = !contents.length;
}

const failed = (error) => {
  notice(h("strong", {}, "That did not work."), h("span", {}, `${error.message} ${error.hint ?? ""}`));
  return null;
};

// -- open ---------------------------------------------------------------------------------------------

/** Open a file of the folder. */
export async function openNamed(name) {
  const { scenario, digest } = await get(`/api/file?name=${encodeURIComponent(name)}`, "file");
  open(scenario, { name, digest, saved: scenario });
  notice();
}

async function openLibrary(name) {
  const { scenario } = await get(`/api/library?name=${encodeURIComponent(name)}`, "file");
  open(scenario, { name: null, digest: null, saved: scenario });
  say(`A copy of ${name} from the library; Save asks for a name.`);
}

/** Open something from outside the folder: a scenario, or what an importer can read. */
export async function openForeign(file) {
  if (!(await mayLeave())) return;
  const content = await file.text();
  try {
    const { scenario, format, notes } = await post("/api/import", { name: file.name, content });
    // What was read by an importer is on no disk yet.
    open(scenario, { name: null, digest: null, saved: format === "holdfast" ? scenario : "" });
    if (notes?.length) notice(h("strong", {}, `Read from ${file.name}.`), h("span", {}, notes.join(" ")));
    else notice();
    say(`${file.name} was opened; Save asks for a name.`);
  } catch (error) {
    notice(h("strong", {}, `${file.name} was not opened: it is neither a scenario nor a network that can be read.`), h("span", {}, error.message));
  }
}

export async function askOpen() {
  if (!(await mayLeave())) return;
  const { files, library, stub } = await get("/api/files");
  let act = null;
  const choice = (word, run, quiet = "") => h("button", { value: "chosen", onclick: () => { act = run; } }, word, quiet && h("span", { class: "quiet" }, `  ${quiet}`));
  const pick = h("input", { type: "file", class: "unseen", id: "pick", "aria-label": "A file from elsewhere" });
  const { box, done } = dialog("Open", [
    h("h3", {}, "In this folder"),
    h("div", { class: "files" }, files.length ? files.map(({ name }) => choice(name, () => openNamed(name))) : h("p", { class: "quiet" }, "No scenario files here.")),
    library?.length > 0 && [h("h3", {}, "A copy from the library"), h("div", { class: "files" }, library.map(({ name, title }) => choice(name, () => openLibrary(name), title)))],
    h("h3", {}, "From elsewhere"),
    h("p", {}, pick, button("Choose a file…", () => pick.click()), h("span", { class: "quiet" }, " a scenario, GraphML, GML, NASim, Threagile, Kubernetes policies, …; or drop it on the page")),
    stub && h("p", {}, choice("Begin with a commented example", () => open(stub, { name: null, digest: null, saved: stub }))),
  ], [["Cancel", ""]], { class: "wide" });
  pick.addEventListener("change", () => { act = () => openForeign(pick.files[0]); box.close("chosen"); });
  if ((await done) && act) await Promise.resolve(act()).catch(failed);
}

// -- save ---------------------------------------------------------------------------------------------

async function put(name, digest) {
  const { text } = state.document;
  const saved = await write("/api/file", { name, scenario: text, expected_digest: digest });
  change({ file: { name, digest: saved.digest, saved: text }, said: `Saved as ${name}.` });
}

export async function save() {
  let { name, digest } = state.file;
  if (!name) {
    name = await askText("Save", "Name of the file, in the opened folder", "segment.yaml", "Save");
    if (!name) return;
    digest = null;
  }
  try {
    await put(name, digest);
  } catch (error) {
    if (error.status !== 409) return void failed(error);
    if (!(await confirm("The file has changed", `${name} is not as it was when it was opened: someone else has written to it, or it was there already.`, "Write over it", "main bad"))) return;
    const there = await get(`/api/file?name=${encodeURIComponent(name)}`, "file").catch((gone) => gone);
    await put(name, there.digest ?? null).catch(failed);
  }
}

// -- downloads ------------------------------------------------------------------------------------------

/** Have the browser keep a file. */
function keepFile(blob, name) {
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export async function download(what, more) {
  say(`Making the ${what}…`);
  try {
    const { blob, name } = await fetchFile({ what, ...more });
    keepFile(blob, name);
    say(`Downloaded ${name}.`);
  } catch (error) {
    say("");
    failed(error);
  }
}

/** Show a page that the server makes in a window of its own. */
export async function showPage(what) {
  // Opened at once, while the click still counts, and sent to the page when it is there.
  const shown = window.open("about:blank", "_blank");
  try {
    const { address } = await ask("download", "download", { what, shown: true });
    shown.location = address;
  } catch (error) {
    shown?.close();
    failed(error);
  }
}

const DOWNLOADS = [
  ["Scenario", "scenario", "the text as it is now"], ["Picture", "picture", "the design as SVG"], ["Report", "report", "everything on one page"],
  ["Animation", "animation", "the attack, or how they are driven out, to be sent"],
  ["Comparison", "comparison", "all designs of the file"], ["Certificate", "certificate", "for holdfast verify"], ["Playbook", "playbook", "what to do at the first sign, as a list of rules"],
  ["Late playbook", "playbook", "what to do when one must, as a list of rules", { style: "late" }],
];

// -- start ----------------------------------------------------------------------------------------------

function showFile() {
  const { file } = state;
  byId("title").textContent = state.drawing?.title ?? "studio";
  fill(byId("file"), file.name ?? "not saved yet", isDirty() && h("span", { class: "dirty" }, " • unsaved"));
  document.title = `${isDirty() ? "• " : ""}${state.drawing?.title ?? "Holdfast"} – Holdfast studio`;
  byId("undo").disabled = !state.past.length;
  byId("redo").disabled = !state.future.length;
  byId("undo").title = state.past.length ? `Undo: ${state.past.at(-1).said} (Ctrl Z)` : "Undo (Ctrl Z)";
}

/** Offer work that a killed browser left behind. */
export async function offerAbandoned() {
  const [draft] = await abandoned();
  if (!draft) return;
  const when = new Date(draft.when).toLocaleString();
  notice(h("span", {}, `Unsaved work on ${draft.state.file.name ?? "a new scenario"} from ${when} was left behind.`),
    button("Bring it back", () => { discard(draft.key); change({ ...draft.state, line: null, selection: null }); notice(); }),
    button("Forget it", () => { discard(draft.key); notice(); }));
}

export function startFiles() {
  byId("open").addEventListener("click", () => askOpen().catch(failed));
  byId("save").addEventListener("click", save);
  byId("download").addEventListener("click", () => menu(byId("download"), DOWNLOADS.map(([word, what, hint, more]) => [word, () => download(what, more), hint])));
  addEventListener("dragover", (event) => { event.preventDefault(); document.body.classList.add("dropping"); });
  addEventListener("dragleave", (event) => event.relatedTarget ?? document.body.classList.remove("dropping"));
  addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("dropping");
    const [file] = event.dataTransfer?.files ?? [];
    if (file) openForeign(file);
  });
  subscribe(["file", "document", "drawing", "past", "future"], showFile);
}
