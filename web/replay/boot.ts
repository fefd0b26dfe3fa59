/**
 * The page that stands in where an origin has no pipe yet, or its pipe no way to the viewer: starts the pipe, sees it
 * connected (the shim, which runs before this, hands over the port), and loads the address again.
 */

const ATTEMPTS_MAX = 3;
const PATIENCE_MS = 10_000;
const COUNT = "wa-boot";
/** Asked for by the viewer, to see whether replay works here, or to have somebody here who hands over ports. */
const STANDING = "/.wa/boot";

async function boot(): Promise<void> {
  if (top === self) throw new Error("An archived page opens inside Stackroom only.");
  if (location.pathname === STANDING) return stand();
  const attempts = Number(sessionStorage.getItem(COUNT) ?? 0) + 1;
  if (attempts > ATTEMPTS_MAX) {
    sessionStorage.removeItem(COUNT);
    throw new Error("The archived page cannot be reached.");
  }
  sessionStorage.setItem(COUNT, String(attempts));
  await connected(await started());
  // Not replace(): an address with a fragment would only be scrolled to.
  location.reload();
}

async function stand(): Promise<void> {
  await started();
  top?.postMessage({ wa: "here" }, `${location.protocol}//${location.host.replace(/^[^.]+\./, "")}`);
}

async function started(): Promise<ServiceWorker> {
  const { serviceWorker } = navigator;
  if (!serviceWorker) throw new Error("This browser allows no service worker here, so nothing can be replayed.");
  return activated(await serviceWorker.register("/.wa/sw.js", { scope: "/", updateViaCache: "all" }));
}

function activated(registration: ServiceWorkerRegistration): Promise<ServiceWorker> {
  const pipe = registration.active ?? registration.waiting ?? registration.installing;
  if (!pipe) throw new Error("The service worker did not start.");
  return new Promise((resolve, reject) => {
    const look = (): void => {
      if (pipe.state === "activated") resolve(pipe);
      else if (pipe.state === "redundant") reject(new Error("The service worker did not start."));
    };
    pipe.addEventListener("statechange", look);
    look();
  });
}

function connected(pipe: ServiceWorker): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("The viewer does not answer.")), PATIENCE_MS);
    navigator.serviceWorker.addEventListener("message", (event: MessageEvent) => {
      if ((event.data as { wa?: unknown } | null)?.wa !== "ready") return;
      clearTimeout(timer);
      sessionStorage.removeItem(COUNT);
      resolve();
    });
    pipe.postMessage({ wa: "hello" });
  });
}

boot().catch((error: unknown) => {
  document.body.textContent = error instanceof Error ? error.message : String(error);
});
