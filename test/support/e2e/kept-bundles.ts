// Deletes the shared bundles when tests run again after a change (`npx vitest`), because they are out of date.
import { rm } from 'node:fs/promises'
import type { TestProject } from 'vitest/node'

export default function forgetBundles(project: TestProject): void {
  const folder = process.env['KEPT_BUNDLES']
  if (folder !== undefined) project.onTestsRerun(() => rm(folder, { recursive: true, force: true }))
}
