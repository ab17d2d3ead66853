// Another revision of this project, laid out in a folder of its own, with the libraries that are installed here: what is
// compared is the code.
import { execFile } from 'node:child_process'
import { mkdir, readFile, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { PROJECT } from '../workerd/bundle.ts'

const run = promisify(execFile)
const PackageSchema = z.object({ dependencies: z.record(z.string(), z.string()) })

export type Revision = {
  /** Where it is laid out. */
  folder: string
  /** The libraries of which it asks for another version than is installed here. */
  otherLibraries: readonly string[]
}

/** The commit that a name means, such as a branch, a tag or the beginning of a hash; null where it means none. */
export async function findCommit(name: string): Promise<string | null> {
  const asked = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]
  return await run('git', asked, { cwd: PROJECT }).then(
    ({ stdout }) => stdout.trim(),
    () => null,
  )
}

/** @param folder is made; it is not registered with git, so that nothing but the folder is to be removed */
export async function layOut(commit: string, folder: string): Promise<Revision> {
  await mkdir(folder, { recursive: true })
  const archive = join(folder, 'archive.tar')
  await run('git', ['archive', '--format=tar', '--output', archive, commit], { cwd: PROJECT })
  await run('tar', ['-xf', archive, '-C', folder])
  await rm(archive)
  // A link of this kind is allowed to everybody on Windows too.
  await symlink(join(PROJECT, 'node_modules'), join(folder, 'node_modules'), 'junction')
  const [own, present] = await Promise.all([dependenciesOf(folder), dependenciesOf(PROJECT)])
  const otherLibraries = Object.keys(own).filter((name) => own[name] !== present[name])
  return { folder, otherLibraries }
}

async function dependenciesOf(folder: string): Promise<Record<string, string>> {
  return PackageSchema.parse(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))).dependencies
}
