/**
 * The script that is put first into archived documents and workers, and into realms that pages make.
 * Mends what pages read and where they lead, keeps nothing out: a page may undo all of it and only loses its own replay.
 */

import { takeAway } from "./absent.js";
import { hearViewer } from "./asked.js";
import { watch } from "./blocked.js";
import { mapCode } from "./code.js";
import { config } from "./config.js";
import { lieAboutTime } from "./clock.js";
import { lieAboutDocuments } from "./documents.js";
import { mapElements } from "./elements.js";
import { enterFrames } from "./frames.js";
import { lieAboutLocation } from "./location.js";
import { mapMarkups } from "./markup.js";
import { lieAboutMessages } from "./messages.js";
import { mapGoing } from "./navigation.js";
import { isPage } from "./place.js";
import { handPorts } from "./port.js";
import { mapRequests } from "./requests.js";
import { mapStyles } from "./styles.js";
import { mapWorkers } from "./workers.js";

handPorts(config.viewer, config.salt);
lieAboutLocation();
lieAboutTime();
mapCode();
lieAboutMessages();
mapRequests();
mapWorkers();
mapStyles();
takeAway();
if (isPage) {
  mapMarkups();
  mapElements();
  lieAboutDocuments();
  enterFrames();
  mapGoing();
  watch();
  hearViewer();
}
