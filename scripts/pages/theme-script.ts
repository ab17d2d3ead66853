// Vite plugin that puts src/pages/frame/theme.ts into the head of each page, as a classic script: it runs before anything is painted.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { minifySync, transformWithOxc, type Plugin } from 'vite'

/** Returns the plugin. @param root the folder of the pages */
export async function themeScript(root: string): Promise<Plugin> {
  const file = resolve(root, 'frame/theme.ts')
  const { code } = await transformWithOxc(readFileSync(file, 'utf8'), file)
  // In a block of its own: what it names is the names of no other script.
  const source = minifySync(file, `{${code}}`, { module: false }).code
  // Its name follows its content, so a browser keeps it.
  const fileName = `assets/theme-${createHash('sha256').update(source).digest('hex').slice(0, 8)}.js`
  return {
    name: 'theme-script',
    transformIndexHtml: {
      order: 'post',
      handler: (html) => html.replace('<link rel="icon"', `<script src="/${fileName}"></script>\n    $&`),
    },
    generateBundle() {
      this.emitFile({ type: 'asset', fileName, source })
    },
  }
}
