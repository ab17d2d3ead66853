// Makes clients of the service's own OpenAPI document, compiles them and has them call the service.
// `npm run clients -- --help`.
import { isDeepStrictEqual, parseArgs } from 'node:util'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { issueGatewayKeys, issueKeys, startService } from './bench/service/start-service.ts'
import { runMeasurement } from './bench/run-measurement.ts'
import { askPlainly, letter, parseAnswers, QUESTION, type Answers, type Keys } from './clients/asked-calls.ts'
import { GENERATED_CLIENTS, isInstalled, type GeneratedClient } from './clients/generated-client.ts'
import { run, whatItSaid } from './clients/run-tool.ts'
import { startEmulator } from './emulator/server.ts'
import { emulatedProviders } from './local/emulated-providers.ts'

const HELP = `npm run clients

Starts the service with the emulator behind it, makes a client of its OpenAPI document by openapi-typescript,
openapi-python-client and oapi-codegen, compiles each and has it read a letter, take a held refusal for what it is, list
waiting lists, complete a chat and be refused without a key. Every answer is compared with that of a plain HTTP call.

It fetches the generators, at pinned versions, into a folder of its own: from the registries that npm, pip and go are set to.
Python 3 (with venv) and Go must be installed; what is not is skipped by name.

Exit code 0: all that could be made works. 1: one does not, or none could be made.`

const { values: options } = parseArgs({ options: { help: { type: 'boolean', short: 'h' } } })

type Started = { url: string; keys: Keys; documentPath: string; expected: Answers }

async function checkClients(folder: string): Promise<void> {
  const emulator = await startEmulator()
  const { server, target } = await startService(join(folder, 'service'), { vars: emulatedProviders(emulator.url) })
  try {
    const [referral = ''] = await issueKeys(target, 1, 1)
    const [gateway = ''] = await issueGatewayKeys(target, 1)
    const keys = { referral, gateway }
    const documentPath = join(folder, 'openapi.json')
    await writeFile(documentPath, await (await fetch(`${target.url}/v1/openapi.json`)).text())
    const started = { url: target.url, keys, documentPath, expected: await askPlainly(target.url, keys) }
    const outcomes: boolean[] = []
    for (const [place, client] of GENERATED_CLIENTS.entries()) {
      if (await isInstalled(client)) outcomes.push(await check(client, join(folder, `client-${place}`), started))
      else
        console.log(
          `skipped  ${client.name}: it needs ${client.needs?.what ?? 'nothing'}, which is not installed here.`,
        )
    }
    if (outcomes.length === 0 || outcomes.includes(false)) process.exitCode = 1
  } finally {
    await server.stop()
    await emulator.close()
  }
}

async function check(client: GeneratedClient, folder: string, started: Started): Promise<boolean> {
  const { url, keys, documentPath, expected } = started
  await mkdir(folder)
  try {
    const command = await client.make(folder, documentPath)
    const env = { BASE_URL: url, REFERRAL_KEY: keys.referral, GATEWAY_KEY: keys.gateway, LETTER: letter(), QUESTION }
    const answers = parseAnswers(await run(command, folder, env))
    const isRight = isDeepStrictEqual(answers, expected)
    console.log(
      isRight ? `works    ${client.name}` : `differs  ${client.name}: ${JSON.stringify({ answers, expected })}`,
    )
    return isRight
  } catch (thrown) {
    console.log(`fails    ${client.name}: ${whatItSaid(thrown)}`)
    return false
  }
}

await runMeasurement({ help: HELP, isHelpWanted: options.help === true, refusal: null, run: checkClients })
