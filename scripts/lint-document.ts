// npm run lint:document: checks the service's own OpenAPI document with redocly and spectral.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runCommand } from './command-line.ts'
import { makeTemporaryFolder } from './temporary-folder.ts'
import { makeApiDocument } from './pages/api-document.ts'
import { PROJECT_FOLDER } from './workerd/build-bundle.ts'
import { run, failureOutput, type Command } from './clients/external-tools.ts'

const HELP = `npm run lint:document

Makes the service's OpenAPI document and lints it with redocly (redocly.yaml) and spectral (.spectral.yaml). Spectral is
fetched by npx at a pinned version: it brings some two hundred packages, which this one command does not justify keeping.

Exit code 0: neither has an error or a warning. 1: one has, or could not be run.`

const SPECTRAL = '@stoplight/spectral-cli@6.16.3'
const QUIET = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', SCARF_ANALYTICS: 'false' }

async function lint(): Promise<number> {
  const folder = await makeTemporaryFolder()
  const path = join(folder, 'openapi.json')
  await writeFile(path, JSON.stringify(await makeApiDocument()))
  const spectral = ['--yes', SPECTRAL, 'lint', path, '--ruleset', '.spectral.yaml', '--fail-severity', 'warn']
  const isClean = await report('redocly', ['redocly', 'lint', path, '--config', 'redocly.yaml'])
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
