/**
 * The files that somebody needs to host the viewer on servers of their own: the viewer told where archived pages live, what
 * replay origins answer with, and how nginx and Caddy are told to serve both.
 */
import { appendFile, cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { policyHeaders, type Layout } from "../replay/policy.js";
import { replayFile } from "./hosted.js";

export interface HostingAsked {
  /** The origin of the viewer, as `https://app.example`. */
  readonly viewer: string;
  /** An origin for each archived host: `https://{label}.replay.example`. */
  readonly wildcard?: string | undefined;
  /** Labels tell no host. */
  readonly isHidden?: boolean | undefined;
  /** One origin for all archived hosts: `https://replay.example`. */
  readonly single?: string | undefined;
}

/** What a person did wrong, in a sentence. */
export class HostingError extends Error {}

const built = fileURLToPath(new URL("../app", import.meta.url));

export async function writeHosting(folder: string, { viewer, wildcard, isHidden = false, single }: HostingAsked): Promise<void> {
  const at = originOf(viewer, "the viewer");
  if (wildcard !== undefined && single !== undefined) throw new HostingError("archived hosts have either an origin each or one for all");
  const settings: unknown[] = [];
  const frames = [`${at}/replayed/`];
  let replay: { readonly layout: Layout; readonly names: string } | undefined;
  if (wildcard !== undefined) {
    if (!/^https?:\/\/\{label\}\.[^/{}]+$/.test(wildcard)) throw new HostingError("a template looks like https://{label}.replay.example");
    settings.push({ mode: "wildcard", template: wildcard, ...(isHidden && { labels: "hash" }) });
    frames.unshift(wildcard.replace("{label}", "*"));
    replay = { layout: "labels", names: wildcard.replace("{label}", "*") };
  } else if (single !== undefined) {
    const origin = originOf(single, "archived pages");
    if (origin === at) throw new HostingError("archived pages with scripts cannot live on the viewer's own origin");
    settings.push({ mode: "single", origin });
    frames.unshift(origin);
    replay = { layout: "paths", names: origin };
  }
  const target = resolve(folder);
  await cp(built, join(target, "viewer"), { recursive: true });
  const page = join(target, "viewer", "index.html");
  await writeFile(page, told(await readFile(page, "utf8"), settings, frames));
  // Another page is another version, to browsers that keep the viewer.
  await appendFile(join(target, "viewer", "shell.js"), `// ${JSON.stringify(settings)}\n`);
  const sites = [viewerSite(at, join(target, "viewer"))];
  if (replay) {
    const { layout, names } = replay;
    await mkdir(join(target, "replay", ".wa"), { recursive: true });
    for (const name of ["sw.js", "boot.html"] as const) await writeFile(join(target, "replay", ".wa", name), await replayFile(name, { layout, viewer: at }));
    sites.push(replaySite(names, join(target, "replay"), layout, at));
  }
  await writeFile(join(target, "nginx.conf"), sites.map(nginx).join("\n"));
  await writeFile(join(target, "Caddyfile"), sites.map(caddy).join("\n"));
}

function originOf(url: string, of: string): string {
  if (!/^https?:/.test(url) || !URL.canParse(url) || new URL(url).pathname !== "/") throw new HostingError(`the address of ${of} looks like https://app.example`);
  return new URL(url).origin;
}

function told(page: string, settings: readonly unknown[], frames: readonly string[]): string {
  const meta = settings.length === 0 ? "" : `<meta name="stackroom-replay" content='${JSON.stringify(settings)}' />\n    `;
  const framed = page.replace(/frame-src [^;]*;/, () => `frame-src ${frames.join(" ")};`);
  return framed.replace(/<title>/, () => `${meta}<title>`);
}

interface Site {
  readonly comment: string;
  /** As `https://*.replay.example`. */
  readonly address: string;
  readonly root: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly isReplay: boolean;
}

const viewerSite = (address: string, root: string): Site => ({
  comment: "The viewer.",
  address,
  root,
  headers: { "Content-Security-Policy": "frame-ancestors 'self'", "Cross-Origin-Opener-Policy": "same-origin", "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff", "Cache-Control": "no-cache" },
  isReplay: false,
});

/** Of an archived host: what starts its service worker, whatever is asked for, and nothing else. */
function replaySite(address: string, root: string, layout: Layout, viewer: string): Site {
  const { protocol, host } = new URL(address.replace("*", "any"));
  const headers = policyHeaders(layout, { protocol, host });
  const policy = `${headers["Content-Security-Policy"] ?? ""}; frame-ancestors ${viewer}`;
  return { comment: "Archived pages.", address, root, headers: { ...headers, "Content-Security-Policy": policy, "Service-Worker-Allowed": "/", "Cache-Control": "no-cache" }, isReplay: true };
}

const quoted = (text: string): string => `"${text.replace(/["\\]/g, "\\$&")}"`;

function nginx({ comment, address, root, headers, isReplay }: Site): string {
  const { protocol, host, port } = new URL(address.replace("*.", "any."));
  const isSecure = protocol === "https:";
  const name = host.replace(/^any\./, address.includes("*") ? "*." : "any.").replace(/:\d+$/, "");
  const lines = [
    `    listen ${port || (isSecure ? 443 : 80)}${isSecure ? " ssl" : ""};`,
    `    server_name ${name};`,
    ...(isSecure ? [`    # A certificate for ${name}: ssl_certificate FILE; ssl_certificate_key FILE;`] : []),
    `    root ${quoted(root)};`,
    "    types { text/html html; text/javascript js; text/css css; application/wasm wasm; application/gzip gz; font/woff2 woff2; image/png png; }",
    "    charset utf-8;",
    ...Object.entries(headers).map(([header, value]) => `    add_header ${header} ${quoted(value)} always;`),
    ...(isReplay
      ? [
          "    # A form may post to an origin that has no service worker yet.",
          "    error_page 405 =200 /.wa/boot.html;",
          "    location = /.wa/sw.js { }",
          "    location = /.wa/boot.html { }",
          "    location = /.wa/boot { try_files /.wa/boot.html =404; }",
          "    location / { try_files $stackroom_page =404; }",
        ]
      : ["    location / { try_files $uri $uri/index.html =404; }"]),
  ];
  const map = isReplay ? "map $http_sec_fetch_mode $stackroom_page { navigate /.wa/boot.html; default /.wa/nothing; }\n" : "";
  return `# ${comment}\n${map}server {\n${lines.join("\n")}\n}\n`;
}

function caddy({ comment, address, root, headers, isReplay }: Site): string {
  const lines = [
    ...(address.startsWith("https://*") ? ["    # A certificate for all names needs a module for your DNS: tls { dns PROVIDER }"] : []),
    `    root * ${quoted(root)}`,
    ...Object.entries(headers).map(([header, value]) => `    header ${header} ${quoted(value)}`),
    ...(isReplay
      ? [
          "    @page {",
          "        header Sec-Fetch-Mode navigate",
          "        not path /.wa/sw.js",
          "    }",
          "    @other {",
          "        not header Sec-Fetch-Mode navigate",
          "        not path /.wa/sw.js /.wa/boot",
          "    }",
          "    respond @other 404",
          "    method @page GET",
          "    rewrite @page /.wa/boot.html",
          "    rewrite /.wa/boot /.wa/boot.html",
        ]
      : []),
    "    file_server",
  ];
  return `# ${comment}\n${address} {\n${lines.join("\n")}\n}\n`;
}
