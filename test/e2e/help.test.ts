// `--help` of every command of package.json, and of its subcommands: one form, short enough to read in a terminal.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'

const PackageSchema = z.object({ bin: z.record(z.string(), z.string()), scripts: z.record(z.string(), z.string()) })
const { bin, scripts } = PackageSchema.parse(JSON.parse(readFileSync('package.json', 'utf8')))

const SUBCOMMANDS: Readonly<Record<string, readonly string[]>> = {
  bench: ['gateway', 'guard', 'neighbours', 'referral', 'start', 'turns'],
  eval: ['pii'],
  guard: ['corpus'],
}

type Command = { usage: string; script: string; args: string[] }

/** Variants of other commands. */
const EXCLUDED = new Set(['pretest', 'pretest:near', 'test:near'])

const COMMANDS: readonly Command[] = [
  ...Object.entries(bin).map(([name, script]) => ({ usage: `node ${name}.mjs`, script, args: [] })),
  ...Object.entries(scripts).flatMap(([name, line]): Command[] => {
    const [, script, rest = ''] =
      /\bnode (?:--env-file=\.env )?(scripts\/\S+\.ts)(.*)$/.exec(line.replace('start.mjs', 'start.ts')) ?? []
    if (script === undefined || EXCLUDED.has(name)) return []
    const args = rest.split(' ').filter((arg) => arg !== '')
    const usage = ['start', 'test'].includes(name) ? `npm ${name}` : `npm run ${name}`
    const subcommands = SUBCOMMANDS[name] ?? []
    return [{ usage, script, args }].concat(
      subcommands.map((sub) => ({ usage: `${usage} -- ${sub}`, script, args: args.concat(sub) })),
    )
  }),
]

/** Imports each script with --help in one process, because a process for each would take half a minute. */
const RUN_ALL = `
  let said = ''
  console.log = console.error = (text) => { said += text + '\\n' }
  process.exit = (code) => { process.exitCode = code }
  const ended = []
  for (const [at, { script, args }] of JSON.parse(process.argv[1]).entries()) {
    said = ''
    process.exitCode = undefined
    process.argv = [process.execPath, process.cwd() + '/' + script, ...args, '--help']
    await import('file://' + process.argv[1] + '?' + at)
    ended.push({ code: process.exitCode ?? 0, said })
  }
  process.exitCode = 0
  process.stdout.write(JSON.stringify(ended))
`

const EndedSchema = z.array(z.object({ code: z.int(), said: z.string() }))

const run = spawnSync(process.execPath, ['--input-type=module', '-e', RUN_ALL, JSON.stringify(COMMANDS)], {
  encoding: 'utf8',
})
const ended = EndedSchema.parse(JSON.parse(run.stdout))

describe('--help', () => {
  it.each(COMMANDS.map(({ usage }, at) => [usage, at] as const))('of %s', (usage, at) => {
    const { code = null, said = '' } = ended[at] ?? {}
    expect(code).toBe(0)
    expect(said.startsWith(`Usage: ${usage}`)).toBe(true)
    const lines = said.trimEnd().split('\n')
    expect(lines.filter((line) => Array.from(line).length > 100)).toEqual([])
    expect(lines.length).toBeLessThanOrEqual(64)
    expect(said).toMatch(/^Examples?:\n {2}(?:np[mx]|node) /m)
    expect(lines.at(-1)).toMatch(/^Exit codes: 0 /)
  })
})
