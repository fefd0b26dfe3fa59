// What goes, as text, into every realm that tries to get out: it makes further realms, and tries channels in its own.

/** Places of a page from which it may try. Workers have no document. */
export const windowRealms = ["blank", "pristine", "written", "srcdoc", "blob", "data", "javascript", "opaque", "nested", "svg", "xhtml", "other"];
export const workerRealms = ["worker", "moduleworker", "blobworker", "dataworker", "nestedworker", "sharedworker", "sharedblob"];

/**
 * `setup` names the canaries, `kinds` has the channels. Stands for itself: nothing outside of it is there where it runs.
 * An evading address is one that browsers read and that no script of replay takes for one; what a page was robbed of it
 * takes from a window that nobody has entered yet.
 */
export function runtime(setup, kinds, text) {
  const XHTML = "http://www.w3.org/1999/xhtml";
  const all = { ...kinds.anywhere, ...kinds.windowed, ...kinds.leaving, ...kinds.alone };
  const isWindow = typeof document === "object";
  const attempt = (work) => {
    try {
      Promise.resolve(work()).catch(() => {});
    } catch {
      // A way that is shut, or that this browser does not have.
    }
  };
  const place = () => document.body ?? document.documentElement;

  function natives() {
    if (!isWindow) return globalThis;
    document.documentElement.append(document.createElementNS(XHTML, "iframe"));
    const realm = window[window.length - 1];
    const api = { setAttribute: realm.Element.prototype.setAttribute };
    for (const name of Object.getOwnPropertyNames(realm)) {
      try {
        api[name] = typeof realm[name] === "function" && /^[a-z]/.test(name) ? realm[name].bind(realm) : realm[name];
      } catch {
        // Some may be read in secure contexts only.
      }
    }
    return api;
  }

  function toolsFor(realm, spelling, api) {
    const slashes = spelling === "evading" ? "///" : "//";
    const setAttribute = api.setAttribute ?? ((...args) => Element.prototype.setAttribute.apply(this, args));
    const make = (space) => (name, fields, content) => {
      const element = document.createElementNS(space, name);
      for (const [key, value] of Object.entries(fields)) api.setAttribute ? setAttribute.call(element, key, value) : element.setAttribute(key, value);
      if (content !== undefined) element.textContent = content;
      place().append(element);
      return element;
    };
    const add = make(XHTML);
    return (channel, scheme) => {
      // A host each: browsers open few connections to one host, and the name says who called where nothing else does.
      const where = `${channel}.${realm}-${spelling}.localhost:${scheme === "http" ? setup.port : setup.tlsPort}`;
      const path = `/leak/${realm}/${spelling}/${channel}`;
      const url = `${scheme}:${slashes}${where}${path}`;
      return {
        api,
        url,
        ws: url.replace("http", "ws"),
        stun: setup.stun,
        redirected: `${leaks.home}/moved/${channel}`,
        get body() {
          return place();
        },
        add,
        addSvg: (name, fields) => {
          const element = make("http://www.w3.org/2000/svg")("svg", {});
          const inner = make("http://www.w3.org/2000/svg")(name, fields);
          element.append(inner);
          return inner;
        },
        html: (markup) => {
          const box = add("div", {});
          box.innerHTML = markup;
          // Scripts that come as text do not run.
          for (const script of box.querySelectorAll("script")) script.replaceWith(add("script", Object.fromEntries([...script.attributes].map(({ name, value }) => [name, value])), script.textContent));
          return box;
        },
        // Named from the start: Chromium gives a frame that is there no other name, and would take the page away instead.
        frame: (name = "") => add("iframe", { name }),
        click: (element) => element.click(),
        code: (script) => URL.createObjectURL(new Blob([script], { type: "text/javascript" })),
        ask: (isAsync, method, change = () => {}) => {
          const request = new api.XMLHttpRequest();
          change(request);
          request.open(method, url, isAsync);
          request.send(method === "POST" ? "secret" : undefined);
        },
        call: async (iceServers) => {
          const connection = new api.RTCPeerConnection({ iceServers });
          connection.createDataChannel("leak");
          await connection.setLocalDescription(await connection.createOffer());
          leaks.held = connection;
        },
      };
    };
  }

  /** Says how many ways were tried in a realm, to whom made it: nothing is shown of a realm that never came so far. */
  const tell = (realm, spelling, tried) => {
    const told = { leaks: `${realm} ${spelling}`, tried };
    if (isWindow) parent.postMessage(told, "*");
    else for (const port of globalThis.leaksPorts ?? [globalThis]) port.postMessage(told);
  };

  async function run(realm, spelling, names) {
    let api = globalThis;
    if (spelling === "evading") attempt(() => (api = natives()));
    const tools = toolsFor(realm, spelling, api);
    for (const [at, name] of names.entries()) {
      // All at once, the last ones would wait for the first ones for very long.
      if (at % setup.atOnce === setup.atOnce - 1) await new Promise((resolve) => setTimeout(resolve, setup.pauseMs));
      const [channel, only] = name.split("@");
      for (const scheme of only ? [only] : ["http", "https"]) {
        const t = tools(channel, scheme);
        attempt(() => (all[channel] ? all[channel](t) : t.html(kinds.markup[channel].replaceAll("~", t.url))));
      }
      if (realm !== "main") attempt(() => tell(realm, spelling, at + 1));
    }
  }

  const code = (realm, spelling, names) => `globalThis.leaksText=${JSON.stringify(text).replace(/<\//g, "<\\/")};(0,eval)(leaksText);leaks.home=${JSON.stringify(leaks.home)};leaks.run(${JSON.stringify(realm)},${JSON.stringify(spelling)},${JSON.stringify(names)})`;
  const page = (script) => `<!doctype html><body><script>${script}</scr` + "ipt>";

  /** A realm of that kind that tries those channels. */
  function enter(realm, spelling, names) {
    const script = code(realm, spelling, names);
    const set = Element.prototype.setAttribute;
    const native = spelling === "evading" ? natives().setAttribute : undefined;
    const frame = (fields) => {
      const element = document.createElementNS(XHTML, "iframe");
      for (const [name, value] of Object.entries(fields)) (native ?? set).call(element, name, value);
      place().append(element);
      return element;
    };
    const plan = (url) => `${leaks.home}${url}#${encodeURIComponent(JSON.stringify({ realm, spelling, names, home: leaks.home, isThere: true }))}`;
    const blob = (body, type) => URL.createObjectURL(new Blob([body], { type }));
    const told = { realm, spelling, names, home: leaks.home };
    const heard = (port) => {
      // Firefox ends workers that nobody holds.
      leaks.workers.push(port);
      port.onmessage = ({ data }) => note(data);
      return port;
    };
    const makers = {
      blank: () => frame({}).contentWindow.eval(script),
      pristine: () => {
        frame({});
        window[window.length - 1].eval(script);
      },
      written: () => {
        const inner = frame({}).contentDocument;
        inner.open();
        inner.write(page(script));
        inner.close();
      },
      srcdoc: () => frame({ srcdoc: page(script) }),
      blob: () => frame({ src: blob(page(script), "text/html") }),
      data: () => frame({ src: `data:text/html,${encodeURIComponent(page(script))}` }),
      javascript: () => frame({ src: `javascript:${encodeURIComponent(JSON.stringify(page(script)))}` }),
      opaque: () => frame({ sandbox: "allow-scripts allow-forms allow-popups allow-top-navigation", srcdoc: page(script) }),
      nested: () => frame({ srcdoc: page(`onmessage = ({ data }) => parent.postMessage(data, "*"); const f = document.createElement("iframe"); document.body.append(f); f.contentWindow.eval(${JSON.stringify(script).replace(/<\//g, "<\\/")})`) }),
      svg: () => frame({ src: plan("/leak.svg") }),
      xhtml: () => frame({ src: plan("/leak.xhtml") }),
      other: () => frame({ src: plan("/leak.html").replace(/evil-example|control/, (own) => (own === "control" ? "control-other" : "other-example")) }),
      worker: () => heard(new Worker(`${leaks.home}/worker.js`)).postMessage(told),
      moduleworker: () => heard(new Worker(`${leaks.home}/worker.js`, { type: "module" })).postMessage(told),
      blobworker: () => heard(new Worker(blob(script, "text/javascript"))),
      dataworker: () => heard(new Worker(`data:text/javascript,${encodeURIComponent(script)}`)),
      nestedworker: () => heard(new Worker(blob(`globalThis.inner = new Worker(URL.createObjectURL(new Blob([${JSON.stringify(script)}]))); inner.onmessage = ({ data }) => postMessage(data)`, "text/javascript"))),
      sharedworker: () => heard(new SharedWorker(`${leaks.home}/shared.js`).port).postMessage(told),
      sharedblob: () => heard(new SharedWorker(blob(`onconnect = ({ ports }) => { globalThis.leaksPorts = ports; ${script} }`, "text/javascript")).port),
    };
    attempt(makers[realm]);
  }

  /** The most that a realm has said of itself. */
  function note({ leaks: who, tried }) {
    if (!who) return;
    const name = who.replace(" ", "-");
    document.documentElement.setAttribute(`data-${name}`, Math.max(tried, triedBy(name)));
  }

  const triedBy = (name) => Number(document.documentElement.getAttribute(`data-${name}`) ?? 0);

  const inWorkers = Object.keys(kinds.anywhere);
  const together = [...inWorkers, ...Object.keys(kinds.windowed), ...Object.keys(kinds.markup)];
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

  /** All that a plan asks of a document: `names` where it is about some channels alone, `isThere` in the realm it is about. */
  async function follow({ realm, spelling, names, apart, home, isThere = realm === "main" }) {
    leaks.home = home;
    if (isWindow) {
      addEventListener("message", ({ data }) => note(data ?? {}));
      let refused = 0;
      addEventListener("securitypolicyviolation", () => document.documentElement.setAttribute("data-refused", (refused += 1)));
    }
    if (isThere) await run(realm, spelling, names ?? together);
    else {
      const isInWorker = /worker|shared/.test(realm);
      const mine = isInWorker ? (names ?? inWorkers).filter((name) => inWorkers.includes(name)) : (names ?? together);
      enter(realm, spelling, mine);
      await pause(1000 + (mine.length / setup.atOnce) * setup.pauseMs * 1.5);
      // A slow machine takes longer: as long as it comes further. Who looks sees how far it came.
      for (let left = 200, before = 0; left > 0 && before < mine.length; left -= 1) {
        await pause(100);
        const tried = triedBy(`${realm}-${spelling}`);
        if (tried > before) left = 200;
        before = tried;
      }
      for (const name of isInWorker ? [] : (apart ?? Object.keys(kinds.leaving))) {
        for (const scheme of ["http", "https"]) {
          enter(realm, spelling, [`${name}@${scheme}`]);
          await pause(setup.pauseMs / 2);
        }
      }
    }
    await pause(1200);
    document.documentElement.setAttribute("data-tried", "");
  }

  const leaks = { run, follow, home: "", workers: [] };
  return leaks;
}
