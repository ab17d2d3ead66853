// Finds the tests near a file: test/unit has the folders of src, and e2e tests have the names of commands.
import { basename, dirname, extname } from 'node:path/posix'

/** Folders of scripts whose tests have another name. */
const NAMED_OTHERWISE: Readonly<Record<string, string>> = {
  document: 'test/architecture/api',
  test: 'test/e2e/near-tests',
}

/** Returns those of `tests` that are near a path. Slow tests and the browser's only if there are no others, or it names them. */
export function testsNear(path: string, tests: readonly string[]): string[] {
  const plain = path.replaceAll('\\', '/').replace(/^\.\//, '').replace(/\/$/, '')
  for (const start of startsFor(plain)) {
    const near = tests.filter((test) => test.startsWith(start))
    const everyday = near.filter((test) => !test.endsWith('.release.test.ts') && !test.startsWith('test/browser/'))
    if (near.length > 0) return everyday.length > 0 ? everyday : near
  }
  return []
}

/** How the paths of the nearest tests start; the next ones are for when there are none. */
function startsFor(path: string): string[] {
  const [top, ...rest] = path.split('/')
  const name = nameOf(rest.at(0) ?? '')
  if (top === 'test') return [path.endsWith('.test.ts') ? path : `${folderOf(path)}/`]
  if (top === 'scripts') return [NAMED_OTHERWISE[name] ?? `test/e2e/${name}`]
  if (top !== 'src') return []
  const folder = folderOf(rest.join('/'))
  return folder === '.' ? [`test/unit/${name}.`] : foldersFrom(folder).map((one) => `test/unit/${one}/`)
}

const folderOf = (path: string): string => (extname(path) === '' ? path : dirname(path))

const foldersFrom = (folder: string): string[] => (folder === '.' ? [] : [folder, ...foldersFrom(dirname(folder))])

const nameOf = (path: string): string => basename(path).replace(/\..*$/, '')
