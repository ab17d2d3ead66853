// Vite plugin that builds the checkers as files: the verifier page, and the command for Node. Each is one file that needs no other.
// Its SHA-256 is published beside it, on the page that offers it, and in the documents.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { build, type Plugin, type UserConfig } from 'vite'
import { withIcons } from './frames.ts'

const PAGE = 'verify.html'
const SCRIPT = '/verify/verify.page.tsx'
const STYLE = '/style/kit.css'

/** The name of the page's file, as served and as saved. */
const FILE = 'verify-offline.html'
const SAVED_AS = 'countersign-verify.html'

const COMMAND = 'countersign-verify.mjs'

/** Returns the plugin. @param config the build settings of all pages */
export function offlineVerifier(root: string, config: UserConfig): Plugin {
  let [html, command] = ['', '']
  return {
    name: 'offline-verifier',
    async buildStart() {
      html = await makeFile(root, config)
      command = await makeCommand()
    },
    transformIndexHtml: {
      order: 'pre',
      handler: (page) =>
        page.replaceAll('%OFFLINE_SHA256%', () => hashOf(html)).replaceAll('%COMMAND_SHA256%', () => hashOf(command)),
    },
    generateBundle() {
      const emit = (fileName: string, source: string): void => void this.emitFile({ type: 'asset', fileName, source })
      emit(FILE, html)
      emit(FILE.replace('.html', '.sha256'), `${hashOf(html)}  ${SAVED_AS}\n`)
      emit(COMMAND, command)
      emit(COMMAND.replace('.mjs', '.sha256'), `${hashOf(command)}  ${COMMAND}\n`)
    },
  }
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

const PROJECT = resolve(import.meta.dirname, '../..')

/** Returns scripts/countersign-verify.ts as one file without dependencies. It is not minified, so that auditors can read it. */
export async function makeCommand(): Promise<string> {
  const built = await build({
    root: PROJECT,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    ssr: { noExternal: true },
    build: {
      ssr: true,
      write: false,
      minify: false,
      target: 'node22',
      rolldownOptions: { input: resolve(PROJECT, 'scripts/countersign-verify.ts'), output: { codeSplitting: false } },
    },
  })
  const [file, ...more] = Array.isArray(built) || !('output' in built) ? [] : built.output
  if (file?.type !== 'chunk' || more.length > 0) throw new Error('the command is one file')
  return withoutFolders(file.code)
}

/** Names packages without the folder they are in. Otherwise the file's hash would depend on how the packages were installed. */
const withoutFolders = (code: string): string => code.replaceAll(/^\/\/ \S*node_modules\/(?=\S+$)/gm, '// ')

async function makeFile(root: string, config: UserConfig): Promise<string> {
  const { script, style } = await bundle(root, config)
  const page = withIcons(readFileSync(resolve(root, PAGE), 'utf8'))
  const parts: readonly (readonly [RegExp, string])[] = [
    [/<!-- online -->[^]*?<!-- \/online -->/g, ''],
    [/<script[^>]*><\/script>/, ''],
    [/<!-- frame:head -->/, headOf(script, style)],
    [/<!-- frame:top -->/, '<header class="top"><span class="brand">Countersign</span></header>'],
    [/<!-- frame:foot -->/, `<script type="module">${script}</script>`],
  ]
  return parts.reduce((html, [part, instead]) => {
    if (!part.test(html)) throw new Error(`${PAGE} has no ${part.source}`)
    return html.replace(part, () => instead)
  }, page)
}

/** SECURITY: allows only this script and this style, and no network, so the page can send nothing. */
const headOf = (script: string, style: string): string =>
  [
    '<meta charset="utf-8" />',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src '${sourceOf(script)}'; style-src '${sourceOf(style)}'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'" />`,
    '<meta name="viewport" content="width=device-width, initial-scale=1" />',
    '<meta name="color-scheme" content="light dark" />',
    `<style>${style}</style>`,
  ].join('\n    ')

const sourceOf = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`

const ENTRY = 'offline-verifier-entry'

async function bundle(root: string, config: UserConfig): Promise<{ script: string; style: string }> {
  const entry: Plugin = {
    name: ENTRY,
    resolveId: (id) => (id === ENTRY ? `\0${ENTRY}` : null),
    load: (id) => (id === `\0${ENTRY}` ? `import '${STYLE}'\nimport '${SCRIPT}'` : null),
  }
  const built = await build({
    ...config,
    root,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    plugins: [entry],
    build: { ...config.build, write: false, rolldownOptions: { input: ENTRY, output: { codeSplitting: false } } },
  })
  if (Array.isArray(built) || !('output' in built)) throw new Error('the checker is one build')
  const scripts = built.output.filter((file) => file.type === 'chunk')
  const styles = built.output.filter((file) => file.fileName.endsWith('.css'))
  const [script, style] = [scripts[0]?.code, styles[0]?.type === 'asset' ? styles[0].source : undefined]
  if (scripts.length !== 1 || styles.length !== 1 || script === undefined || style === undefined) {
    throw new Error('the checker is one script and one style')
  }
  // Fonts are files of their own, which it cannot load.
  return { script: inElement(script), style: inElement(String(style).replaceAll(/@font-face\{[^}]*\}/g, '')) }
}

/** Returns the text. Throws if it contains its element's end tag, because the element would end there. */
function inElement(text: string): string {
  if (/<\/(?:script|style)|<!--/i.test(text)) throw new Error('the checker would end within itself')
  return text.trim()
}
