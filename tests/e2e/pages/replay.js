// A viewer at its smallest: opens the archive that its address names and frames an archived URL when told to.
import { FRAME_SANDBOX, Replay } from "/replay/replay.js";

const wanted = new URLSearchParams(location.search);
const opened = Replay.open(wanted.get("archive"), { salt: wanted.get("salt") });

window.viewer = {
  opened,
  /** Resolves when the frame has loaded what the archive has, not merely the boot page. */
  async show(url, name = "replayed") {
    const address = await (await opened).locate(url);
    let frame = document.querySelector(`iframe[name=${name}]`);
    if (!frame) {
      frame = document.createElement("iframe");
      frame.name = name;
      frame.setAttribute("sandbox", FRAME_SANDBOX);
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
