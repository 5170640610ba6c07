/* Files: open, save, import, drop, download. Nothing is written unless it was asked for. */

import { fetchFile, get, post, write, ask } from "./api.js";
import { askText, confirm, dialog, menu } from "./dialogs.js";
import { shownDifference } from "./difference.js";
import { button, byId, fill, h } from "./dom.js";
import { say } from "./edits.js";
import { askGallery } from "./gallery.js";
import { abandoned, discard } from "./session.js";
import { change, commit, isDirty, open, state, subscribe } from "./store.js";

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

export async function openLibrary(name) {
  const { scenario } = await get(`/api/library?name=${encodeURIComponent(name)}`, "file");
  open(scenario, { name: null, digest: null, saved: scenario });
  say(`A copy of ${name} from the library; Save asks for a name.`);
}

const MOST = 30_000_000;

/** The contents of a file as a request can hold them: text, or bytes where it is none. */
async function contentsOf(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  try {
    return { content: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    let raw = "";
    for (let k = 0; k < bytes.length; k += 32_768) raw += String.fromCharCode(...bytes.subarray(k, k + 32_768));
    return { content: btoa(raw), encoding: "base64" };
  }
}

/** Which of the networks of a file is meant; null for none. */
async function askNetwork(name, choices) {
  let chosen = null;
  const { done } = dialog(`${name} holds several networks`, h("div", { class: "files" }, choices.map((one) => h("button", { value: "chosen", onclick: () => { chosen = one; } }, one))), [["Cancel", ""]]);
  return (await done) ? chosen : null;
}

/** Open something from outside the folder: a scenario, or what an importer can read. */
export async function openForeign(file, asked = false) {
  if (!asked && !(await mayLeave())) return;
  if (file.size > MOST) return void notice(h("strong", {}, `${file.name} was not opened: it is larger than 30 MB.`), h("span", {}, "The command line reads it: holdfast import."));
  try {
    const contents = await contentsOf(file);
    let found = await post("/api/import", { name: file.name, ...contents });
    if (found.choices) {
      const network = await askNetwork(file.name, found.choices);
      if (!network) return;
      found = await post("/api/import", { name: file.name, ...contents, network });
    }
    const { scenario, format, notes } = found;
    // What was read by an importer is on no disk yet.
    open(scenario, { name: null, digest: null, saved: format === "holdfast" ? scenario : "" });
    if (notes?.length) notice(h("details", { open: notes.length < 4 }, h("summary", {}, h("strong", {}, `Read from ${file.name}.`), ` ${notes.length} remarks on what was left out and what was chosen`), h("ul", { class: "remarks" }, notes.map((note) => h("li", {}, note)))));
    else notice();
    say(`${file.name} was opened; Save asks for a name.`);
  } catch (error) {
    notice(h("strong", {}, `${file.name} was not opened: it is neither a scenario nor a network that can be read.`), h("span", {}, error.message));
  }
}

export async function askOpen() {
  if (!(await mayLeave())) return;
  const { files, library, stub } = await get("/api/files");
  const examples = async () => { const name = await askGallery(library); if (name) await openLibrary(name); };
  let act = null;
  const choice = (word, run, quiet = "") => h("button", { value: "chosen", onclick: () => { act = run; } }, word, quiet && h("span", { class: "quiet" }, `  ${quiet}`));
  const pick = h("input", { type: "file", class: "unseen", id: "pick", "aria-label": "A file from elsewhere" });
  const { box, done } = dialog("Open", [
    h("h3", {}, "In this folder"),
    h("div", { class: "files" }, files.length ? files.map(({ name }) => choice(name, () => openNamed(name))) : h("p", { class: "quiet" }, "No scenario files here.")),
    library?.length > 0 && [h("h3", {}, "A copy from the library"), h("p", {}, choice("Examples with what one learns from them…", examples)), h("div", { class: "files" }, library.map(({ name, title }) => choice(name, () => openLibrary(name), title)))],
    h("h3", {}, "From elsewhere"),
    h("p", {}, pick, button("Choose a file…", () => pick.click()), h("span", { class: "quiet" }, " a scenario, GraphML, GML, NASim, Threagile, Kubernetes policies, …; or drop it on the page")),
    stub && h("p", {}, choice("Begin with a commented example", () => open(stub, { name: null, digest: null, saved: stub }))),
  ], [["Cancel", ""]], { class: "wide" });
  pick.addEventListener("change", () => { act = () => openForeign(pick.files[0], true); box.close("chosen"); });
  if ((await done) && act) await Promise.resolve(act()).catch(failed);
}

// -- save ---------------------------------------------------------------------------------------------

async function put(name, digest) {
  const { text } = state.document;
  const saved = await write("/api/file", { name, scenario: text, expected_digest: digest });
  change({ file: { name, digest: saved.digest, saved: text }, said: `Saved as ${name}.` });
  notice();
}

/** A name with the ending of a scenario. */
const ended = (name) => (/\.ya?ml$/i.test(name) ? name : `${name}.yaml`);

/** Save under another name, which is then the one. */
export async function saveAs() {
  const name = await askText("Save as", "Name of the file, in the opened folder", state.file.name ?? "segment.yaml", "Save");
  if (name) await savedTo(ended(name), null);
}

async function savedTo(name, digest) {
  try {
    await put(name, digest);
  } catch (error) {
    if (error.status !== 409) return void failed(error);
    await settle(name, digest === null);
  }
}

/** Another text is on the disk: look at the difference, take theirs, write over it, or save elsewhere. */
async function settle(name, isNew) {
  const there = await get(`/api/file?name=${encodeURIComponent(name)}`, "file").catch(() => null);
  if (!there) return put(name, null).catch(failed);
  const [title, why] = isNew
    ? ["A file of this name exists already", `${name} is in the folder already.`]
    : ["The file has changed", `${name} is not as it was when it was opened: someone else has written to it.`];
  const { done } = dialog(title, [
    h("p", {}, `${why} What you would change in it:`),
    shownDifference(there.scenario, state.document.text),
  ], [["Save as…", "as", "main"], ["Write over it", "over", "bad"], [isNew ? "Open that one" : "Open theirs", "theirs"], ["Cancel", ""]], { class: "wide" });
  const answer = await done;
  if (answer === "over") await put(name, there.digest).catch(failed);
  else if (answer === "as") await saveAs();
  else if (answer === "theirs") {
    // Theirs comes as a step that undo takes back: nothing of one's own is lost.
    commit({ text: there.scenario, layout: {}, cut: [] }, `${name} as it is on the disk.`, { line: null, file: { name, digest: there.digest, saved: there.scenario } });
  }
}

export async function save() {
  const { name, digest } = state.file;
  if (name) return savedTo(name, digest);
  const given = await askText("Save", "Name of the file, in the opened folder", "segment.yaml", "Save");
  if (given) await savedTo(ended(given), null);
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
  ["Scenario", "scenario", "the text as it is now"], ["Picture (SVG)", "picture", "the design as it is arranged, for pages"], ["Picture (PNG)", "picture", "for slides and messages", { format: "png" }], ["Picture (PDF)", "picture", "for print", { format: "pdf" }], ["Report", "report", "everything on one page"],
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
    button("Bring it back", () => { discard(draft.key); change({ ...draft.state, line: null, selection: null, chosen: [] }); notice(); }),
    button("Forget it", () => { discard(draft.key); notice(); }));
}

export function startFiles() {
  byId("open").addEventListener("click", () => askOpen().catch(failed));
  byId("save").addEventListener("click", save);
  byId("save-as").addEventListener("click", saveAs);
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
