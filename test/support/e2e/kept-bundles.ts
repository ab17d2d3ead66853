// Where tests run again because a file has changed (`npx vitest`), the bundles that they shared are of the time before.
import { rm } from 'node:fs/promises'
import type { TestProject } from 'vitest/node'

export default function forgetBundles(project: TestProject): void {
  const folder = process.env['KEPT_BUNDLES']
  if (folder !== undefined) project.onTestsRerun(() => rm(folder, { recursive: true, force: true }))
}
