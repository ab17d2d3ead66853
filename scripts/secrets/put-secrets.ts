// Puts secrets into the account's store with wrangler. They go by its standard input: a command line can be read by others.
import { execFile } from 'node:child_process'
import { Refusal } from '../command-line.ts'
import type { Settings } from '../local/dev-vars.ts'
import { WRANGLER, wranglerEnvironment } from '../wrangler-settings.ts'

const LIMIT_MS = 120_000

/** Throws Refusal, with wrangler's words, if it fails. */
export async function putSecrets(environment: string, config: string, secrets: Settings): Promise<void> {
  const env = await wranglerEnvironment()
  const args = [WRANGLER, 'secret', 'bulk', '--env', environment, '--config', config]
  const failure = await new Promise<string | null>((resolve) => {
    const child = execFile(process.execPath, args, { env, timeout: LIMIT_MS }, (error, stdout, stderr) =>
      resolve(error === null ? null : `${stdout}${stderr}`),
    )
    // A child that ended early says why by its exit code.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(JSON.stringify(secrets))
  })
  if (failure !== null) throw new Refusal(`wrangler did not put the secrets.\n${hide(failure, secrets)}`.trim())
}

/** SECURITY: an error of the account's interface could repeat what was sent. */
function hide(text: string, secrets: Settings): string {
  const values = Object.values(secrets).flatMap((value) => [
    value,
    value.split(','),
    JSON.stringify(value).slice(1, -1),
  ])
  return values
    .flat()
    .filter((value) => value !== '')
    .toSorted((one, other) => other.length - one.length)
    .reduce((hidden, value) => hidden.replaceAll(value, '…'), text)
}
