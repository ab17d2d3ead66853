// The build of the pages (src/pages) into dist/pages, which the Worker's assets are served from.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { defineConfig, type Plugin, type UserConfig } from 'vite'
import { securityText } from './scripts/pages/security-text.ts'
import { documentPages } from './scripts/pages/document-pages.ts'
import { drawnPages, pageFiles } from './scripts/pages/drawn-pages.ts'
import { formSchemas } from './scripts/pages/form-schemas.ts'
import { movedIntoPlace } from './scripts/pages/moved-into-place.ts'
import { offlineVerifier } from './scripts/pages/offline-verifier.ts'
import { workerFiles } from './scripts/pages/worker-files.ts'

const root = resolve(import.meta.dirname, 'src/pages')
const served = resolve(import.meta.dirname, 'dist/pages')
/** A folder of its own for each build, since two may run at once. */
const written = resolve(import.meta.dirname, `dist/pages-${process.pid}`)

/** `<!-- frame:NAME -->` in a page stands for frame/NAME.html. */
const frames: Plugin = {
  name: 'frames',
  transformIndexHtml: {
    order: 'pre',
    handler: (html, { path }) =>
      html.replaceAll(/<!-- frame:([a-z-]+) -->/g, (_, name: string) => {
        const frame = readFileSync(resolve(root, 'frame', `${name}.html`), 'utf8').trim()
        return name === 'top' ? withCurrent(frame, path) : frame
      }),
  },
}

/** The menu with the page marked that is open, or that it is a part of: /docs of /docs/errors. */
function withCurrent(menu: string, path: string): string {
  const part = /^\/[a-z-]+/.exec(path)?.[0]
  return menu.replace(`href="${part}"`, `$& aria-current="${path === `${part}.html` ? 'page' : 'true'}"`)
}

/** The build options of the pages and of the file that checks evidence offline. */
const common: UserConfig = {
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    // A data: image would need img-src data:.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: ['chrome120', 'firefox128', 'safari17'],
  },
}

/** Modules that the same pages load are one file: many small ones take more bytes and more requests. */
const CHUNKS = [
  { name: 'parts', test: /preact|pages\/(?:text\/format|parts\/(?:button|copy-button|field-frame|island))\./ },
  {
    name: 'answers',
    test: /pages\/(?:api\/(?:send-request|use-answer)|parts\/(?:page-blocks|answer-notices|table))\./,
  },
  { name: 'forms', test: /pages\/(?:api\/sign-in|parts\/(?:dialog|fields|form|password))\./ },
  {
    name: 'dashboard',
    test: /pages\/(?:pages|app\/(?:frame\/)?[\w.-]+|api\/use-(?:button-request|list)|parts\/(?:times|save).+)\.tsx?$/,
  },
]

export default defineConfig({
  ...common,
  root,
  plugins: [
    frames,
    formSchemas,
    securityText,
    offlineVerifier(root, common),
    drawnPages(root),
    documentPages(root),
    workerFiles,
    movedIntoPlace(written, served),
  ],
  build: {
    ...common.build,
    outDir: written,
    emptyOutDir: true,
    rolldownOptions: {
      // How long each part took on a busy machine is no warning to whoever runs `npm start`.
      checks: { bundlerTimings: false },
      output: { codeSplitting: { groups: CHUNKS } },
      input: pageFiles(root).map((page) => resolve(root, page)),
    },
  },
})
