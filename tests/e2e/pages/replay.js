// A viewer at its smallest: opens the archive that its address names and frames an archived URL when told to.
import { openArchive } from "/lib/index.js";
import { areReachable, newSalt, originsOf, Replay, sandboxOf } from "/replay/index.js";

const wanted = new URLSearchParams(location.search);
const setting = JSON.parse(wanted.get("replay") ?? "null") ?? { mode: "wildcard", template: `http://{label}.${location.host}` };
const origins = originsOf(setting, wanted.get("salt") ?? newSalt());
// As a picked file: from an address every record would be a request of its own.
const picked = fetch(wanted.get("archive")).then((answer) => answer.blob());
const opened = picked.then(openArchive).then(async (archive) => {
  await archive.indexed;
  // One origin for all is readied for the collection so.
  if (origins.mode === "single" && !(await areReachable(origins, document.body))) throw new Error("out of reach");
  return Replay.over(archive, { origins });
});

window.viewer = {
  opened,
  /** Resolves when the frame has loaded what the archive has, not merely the boot page. */
  async show(url, name = "replayed") {
    const address = await (await opened).visit(url);
    let frame = document.querySelector(`iframe[name=${name}]`);
    if (!frame) {
      frame = document.createElement("iframe");
      frame.name = name;
      frame.setAttribute("sandbox", sandboxOf(origins.mode));
      document.body.append(frame);
    }
    frame.src = address;
    return address;
  },
  async counts() {
    return (await opened).counts();
  },
};
// What an archived page must never read.
localStorage.setItem("secret", "of the viewer");
document.body.dataset.ready = "1";
await opened;
document.body.dataset.opened = "1";
