/** The dialogs that are fetched when one of them is first asked for. */
import "./about.js";
import "./help.js";
