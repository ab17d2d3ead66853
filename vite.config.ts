// The build of the pages (src/pages) into dist/pages, which the Worker's assets are served from.
import { resolve } from 'node:path'
import { defineConfig, type Plugin, type UserConfig } from 'vite'
import { securityText } from './scripts/pages/security-text.ts'
import { documentPages } from './scripts/pages/document-pages.ts'
import { drawnPages, pageFiles } from './scripts/pages/drawn-pages.ts'
import { frames } from './scripts/pages/frames.ts'
import { formSchemas } from './scripts/pages/form-schemas.ts'
import { nameModules } from './scripts/pages/name-modules.ts'
import { movedIntoPlace } from './scripts/pages/moved-into-place.ts'
import { offlineVerifier } from './scripts/pages/offline-verifier.ts'
import { searchIndex } from './scripts/pages/search-index.ts'
import { themeScript } from './scripts/pages/theme-script.ts'
import { referencePages, referencePagesOf } from './scripts/pages/reference-pages.ts'
import { tierPage } from './scripts/pages/tier-page.ts'
import { makeApiDocument, workerFiles } from './scripts/pages/worker-files.ts'

const root = resolve(import.meta.dirname, 'src/pages')
const served = resolve(import.meta.dirname, 'dist/pages')
/** A folder of its own for each build, since two may run at once. */
const written = resolve(import.meta.dirname, `dist/pages-${process.pid}`)

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
  {
    name: 'parts',
    test: /preact|vite\/preload-helper|platform\/json\.ts|pages\/(?:search\/open-search|text\/(?:day|format)|api\/(?:handed-evidence|send-request|use-answer)|parts\/(?:answer-notices|badge|button|copy-button|field-frame|icon|island|layout|ornament|outcome-badge|page-blocks|record-sheet)|front\/example-record)/,
  },
  // What records are checked with, and before it what more pages read and hash JSON with.
  {
    name: 'hashes',
    test: /@noble\/hashes\/(?!hmac)|records\/(?:canonical-json|read-json-object)\.ts/,
  },
  {
    name: 'evidence',
    test: /evidence\/(?:verify\/(?:check-document|file-lines|findings-report)|checkpoint\/(?:checkpoint|signed-note))\.ts/,
  },
  {
    name: 'forms',
    test: /pages\/(?:api\/(?:sign-in|tab-storage)|text\/(?:id-labels|provider-label|shape-names|rule-names)|parts\/(?:dialog|field-group|fields|foldable|form|password|steps|surfaces|table))\./,
  },
  {
    name: 'dashboard',
    test: /pages\/(?:pages|app\/(?:frame\/)?(?!call-code|lacking-|own-|sign-in-)[\w.-]+|api\/use-(?:button-request|list)|parts\/(?:filter-menu|link-row|save|tile|times|url-parameters).+)\.tsx?$|platform\/shown-difference/,
  },
  // What the overview is made of. A group takes what it imports with it, unless a group before has that.
  { name: 'grid', test: /pages\/(?:parts\/grid\/data-grid|app\/calls\/call-columns)\./ },
  {
    name: 'charts',
    test: /pages\/(?:charts\/(?:bar-chart|before-line|named-bars|plot)|app\/analytics\/(?:calls-path|chart-data))\./,
  },
  { name: 'needs', test: /pages\/app\/(?:calls\/latest-calls|compliance\/control-words|keys\/key-labels)\./ },
  { name: 'entrance', test: /pages\/(?:entrance\/(?:account-form|beside)|parts\/new-password)\./ },
  { name: 'proof', test: /pages\/(?:entrance\/sign-in-form|parts\/second-step|api\/passkeys)\./ },
]

/**
 * In the place of Vite's own, which every page would load: it asks for the scripts and sheets of a module that is imported later. Ours
 * have no sheets, and the browser asks for their scripts.
 */
const PRELOAD_HELPER = '\0vite/preload-helper.js'
const smallPreloadHelper: Plugin = {
  name: 'small-preload-helper',
  enforce: 'pre',
  load: (id) => (id === PRELOAD_HELPER ? 'export const __vitePreload = (load) => load()' : null),
}

export default defineConfig(async () => {
  const apiDocument = await makeApiDocument()
  const reference = referencePagesOf(apiDocument)
  return {
    ...common,
    root,
    plugins: [
      smallPreloadHelper,
      frames(root),
      themeScript(root),
      formSchemas,
      nameModules,
      securityText,
      offlineVerifier(root, common),
      drawnPages(root),
      documentPages(root),
      tierPage(root),
      referencePages(root, reference),
      searchIndex(apiDocument),
      workerFiles(apiDocument),
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
        input: [...pageFiles(root), ...reference.keys()].map((page) => resolve(root, page)),
      },
    },
  }
})
