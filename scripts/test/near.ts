// Finds the tests near a file: test/unit has the folders of src, and e2e tests have the names of commands.
import { basename, dirname, extname } from 'node:path/posix'

const EVERYDAY = ['unit', 'worker', 'e2e'] as const

/** Returns path filters for vitest; none if no tests are near. `exists` returns true for a path that exists. */
export function namesOfTests(path: string, exists: (path: string) => boolean): string[] {
  const plain = path.replace(/^\.\//, '').replace(/\/$/, '')
  if (plain.startsWith('test/unit/') || /^test\/(e2e|browser|architecture)\b/.test(plain)) return [nearTest(plain)]
  const [top = '', ...rest] = plain.split('/')
  if (top === 'scripts') return [`test/e2e/${nameOf(rest[0] ?? '')}`]
  if (top !== 'src') return []
  const folder = extname(plain) === '' ? rest.join('/') : dirname(rest.join('/'))
  if (folder === '.' || folder === '') return [`test/unit/${nameOf(plain)}.`]
  return [`${nearestFolder(`test/unit/${folder}`, exists)}/`]
}

/** A test file is its own filter. For its support files the filter is their folder. */
const nearTest = (path: string): string =>
  path.endsWith('.test.ts') ? path : extname(path) === '' ? `${path}/` : `${dirname(path)}/`

const nameOf = (path: string): string => basename(path).replace(/\..*$/, '')

const nearestFolder = (folder: string, exists: (path: string) => boolean): string =>
  folder === 'test/unit' || exists(folder) ? folder : nearestFolder(dirname(folder), exists)

/** Returns the projects of vitest.config.ts to run. Slow tests and the browser's run only if a path names them. */
export function projectsFor(paths: readonly string[]): string[] {
  const isLong = paths.some((path) => path.endsWith('.release.test.ts'))
  const isBrowser = paths.some((path) => path.includes('test/browser'))
  return [...EVERYDAY, ...(isLong ? ['release-*'] : []), ...(isBrowser ? ['browser'] : [])]
}
