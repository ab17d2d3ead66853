// npm run lint:document: checks the service's own OpenAPI documents with redocly and spectral.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runCommand } from './command-line.ts'
import { referralDocumentOf } from './document/referral-document.ts'
import { makeTemporaryFolder } from './temporary-folder.ts'
import { makeApiDocument } from './pages/worker-files.ts'
import { PROJECT_FOLDER } from './workerd/build-bundle.ts'
import { run, failureOutput, type Command } from './external-tools.ts'

const HELP = `Usage: npm run lint:document

Checks the service's OpenAPI documents with redocly and spectral; npx downloads spectral.

Example:
  npm run lint:document

Exit codes: 0 no error and no warning, 1 an error or a warning, 2 wrong command line.`

const SPECTRAL = '@stoplight/spectral-cli@6.16.3'
const QUIET = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', SCARF_ANALYTICS: 'false' }

async function lint(): Promise<number> {
  const folder = await makeTemporaryFolder()
  const whole = await makeApiDocument()
  const paths = [join(folder, 'openapi.json'), join(folder, 'referral.json')] as const
  await writeFile(paths[0], JSON.stringify(whole))
  await writeFile(paths[1], JSON.stringify(referralDocumentOf(whole)))
  const spectral = ['--yes', SPECTRAL, 'lint', ...paths, '--ruleset', '.spectral.yaml', '--fail-severity', 'warn']
  const isClean = await report('redocly', ['redocly', 'lint', ...paths, '--config', 'redocly.yaml'])
  return (await report('spectral', ['npx', ...spectral])) && isClean ? 0 : 1
}

async function report(name: string, command: Command): Promise<boolean> {
  try {
    await run(command, PROJECT_FOLDER, QUIET)
    console.log(`clean  ${name}`)
    return true
  } catch (thrown) {
    console.log(`wrong  ${name}: ${failureOutput(thrown)}`)
    return false
  }
}

process.exitCode = await runCommand(process.argv.slice(2), { help: HELP, options: {}, run: lint })
