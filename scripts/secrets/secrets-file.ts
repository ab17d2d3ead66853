// The file of a deployment's secrets: refuses one that others could read, and writes it.
import { spawnSync } from 'node:child_process'
import { existsSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { Refusal } from '../command-line.ts'
import { writeDevVars, type Settings } from '../local/dev-vars.ts'

/** Throws Refusal for a file that git would pass on, or that other people of this machine could read. */
export function refuseUnsafeFile(file: string): void {
  const path = existsSync(file) ? realpathSync(file) : file
  if (!existsSync(dirname(path))) throw new Refusal(`There is no folder ${dirname(path)}. Make it first.`)
  refusePublished(file, path)
  if (!existsSync(path)) return
  const stat = statSync(path)
  if (!stat.isFile()) throw new Refusal(`${file} is not a file. Name another one.`)
  // Windows has no such permissions.
  if (process.platform !== 'win32' && (stat.mode & 0o077) !== 0)
    throw new Refusal(`Other people can open ${file}. Run chmod 600 ${file}.`)
}

function refusePublished(file: string, path: string): void {
  const git = (...args: string[]) =>
    spawnSync('git', ['-C', dirname(path), ...args, '--', basename(path)], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C' },
    })
  const { status, stderr } = git('check-ignore', '--quiet')
  // Without git, or outside of a repository, nothing passes the file on.
  if (status === 0 || status === null || stderr.includes('not a git repository')) return
  if (status !== 1) throw new Refusal(`git cannot tell whether it ignores ${file}: ${stderr.trim()}`)
  if (git('ls-files', '--error-unmatch').status === 0)
    throw new Refusal(`git tracks ${file}. Run git rm --cached ${file}, and replace each secret that was in a commit.`)
  throw new Refusal(`git does not ignore ${file}. Add it to .gitignore, or name a file outside of the repository.`)
}

/** Writes secrets to the file. Returns all that it has. Throws Refusal if one cannot be written. */
export const writeSecrets = (file: string, environment: string, settings: Settings): Settings =>
  writeDevVars(
    file,
    settings,
    `# Secrets of the ${environment} deployment. Keep a copy offline: a lost pepper cannot be replaced without revoking all keys.`,
  )
