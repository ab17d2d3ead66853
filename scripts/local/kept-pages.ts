// The pages as they were when the Worker was started: a later build of them, by another start or a test, takes none away.
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const BUILT = 'dist/pages'

/** Their folder, which is of one Worker alone. Throws where they were never built. */
export function keepPages(state: string): string {
  const kept = join(state, 'pages')
  rmSync(kept, { recursive: true, force: true })
  cpSync(BUILT, kept, { recursive: true })
  return kept
}
