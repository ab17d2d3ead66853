// A build of the pages beside a running service: `npm start` in a second terminal, or a test that runs it.
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Plugin } from 'vite'

/**
 * Moves the written files from one folder to the other one by one, pages after what they load: whoever serves that folder finds each
 * file whole.
 */
export function movedIntoPlace(from: string, to: string): Plugin {
  let written = ''
  return {
    name: 'moved-into-place',
    configResolved({ build }) {
      written = build.outDir
    },
    writeBundle: {
      order: 'post',
      sequential: true,
      async handler() {
        if (written !== from) return
        const files = await filesIn(from)
        for (const file of [...files.filter((name) => !isPage(name)), ...files.filter(isPage)]) {
          await mkdir(dirname(join(to, file)), { recursive: true })
          await rename(join(from, file), join(to, file))
        }
        const built = new Set(files)
        for (const file of await filesIn(to)) if (!built.has(file)) await rm(join(to, file), { force: true })
      },
    },
    closeBundle: () => rm(from, { recursive: true, force: true }),
  }
}

const isPage = (file: string): boolean => file.endsWith('.html')

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
}
