/**
 * Builds the viewer, web/app -> dist/app. The library is plain tsc output: Vite's library mode would inline the WASM.
 * Folders say when a file is fetched: assets/ on the first load, assets/lazy/ when something first needs it.
 * The size check (web/build/sizes.mjs) counts by these folders.
 */
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Modules of the engine that the first load does without. */
const lazyWasm = /^(tools|rewrite|scripts|store|documents|pdf)_bg\.wasm$/;

/** Workers that the first load does without. */
const lazyWorkers: ReadonlySet<string> = new Set(["owner", "broker", "replayer"]);

/** A script of its own before that of the viewer. Without it, as on the development server, all is started somewhat later. */
const early: Plugin = {
  name: "early",
  transformIndexHtml: {
    order: "post",
    handler: (html, { bundle = {} }) => {
      const chunk = Object.values(bundle).find(({ type, name }) => type === "chunk" && name === "early");
      const script = chunk && `<script type="module" crossorigin src="/${chunk.fileName}"></script>\n    `;
      return script ? html.replace(/(?=<script type="module")/, script) : html;
    },
  },
};

const output = {
  entryFileNames: ({ name }: { name: string }): string => (lazyWorkers.has(name) ? "assets/lazy/[name]-[hash].js" : "assets/[name]-[hash].js"),
  chunkFileNames: (chunk: { isDynamicEntry: boolean }): string =>
    chunk.isDynamicEntry ? "assets/lazy/[name]-[hash].js" : "assets/[name]-[hash].js",
  assetFileNames: (asset: { names: string[] }): string =>
    asset.names.some((name) => lazyWasm.test(name))
      ? "assets/lazy/[name]-[hash][extname]"
      : "assets/[name]-[hash][extname]",
};

/** Vite's development server calls every .gz file gzip-coded, so that browsers would unpack an archive on the way. */
const archivesAsTheyAre: Plugin = {
  name: "archives-as-they-are",
  configureServer: ({ middlewares }) => {
    middlewares.use((request, response, next) => {
      if (/\.gz(?:$|[?#])/.test(request.url ?? "")) {
        const writeHead = response.writeHead.bind(response) as (status: number, headers: Record<string, unknown>) => typeof response;
        response.writeHead = ((status: number, headers: Record<string, unknown>) => {
          const { "Content-Encoding": _, ...rest } = headers ?? {};
          return writeHead(status, rest);
        }) as typeof response.writeHead;
      }
      next();
    });
  },
};

/** Style sheets in scripts are texts, which no minifier touches: they go out without comments and indentation. */
const smallStyles: Plugin = {
  name: "small-styles",
  apply: "build",
  transform: (code, id) => (/\/web\/app\/.*\.ts$/.test(id) && code.includes("css`") ? { code: code.replace(/\bcss`[^`]*`/g, shortened), map: null } : null),
};

const shortened = (sheet: string): string => sheet.replace(/\/\*.*?\*\//gs, "").replace(/\s+/g, " ").replaceAll("; ", ";");

export default defineConfig({
  root: at("web/app"),
  plugins: [archivesAsTheyAre, smallStyles, early],
  resolve: {
    alias: [
      { find: /^stackroom$/, replacement: at("dist/lib/index.js") },
      { find: /^stackroom\/library$/, replacement: at("dist/lib/library/index.js") },
      { find: /^stackroom\/replay$/, replacement: at("dist/replay/index.js") },
    ],
  },
  worker: { format: "es", rolldownOptions: { output } },
  build: {
    outDir: at("dist/app"),
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: { input: { index: at("web/app/index.html"), early: at("web/app/early.ts") }, output },
  },
  // The development server reads the built library and the sources of the viewer.
  server: { fs: { allow: [at(".")] } },
});
