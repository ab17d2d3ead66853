// Stores the local witness's key and, for each log, the largest tree that it has cosigned. Signs the cosignatures.
import { createPrivateKey, createPublicKey, randomBytes, sign, type KeyObject } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as z from 'zod'
import { keyIdOf, strictBase64, type Tree } from './witness-checkpoint.ts'

const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

const TreesSchema = z.record(z.string(), z.strictObject({ size: z.string().regex(/^\d{1,19}$/), root: z.base64() }))

export class WitnessState {
  readonly name: string
  readonly #key: KeyObject
  readonly #publicKey: Buffer
  readonly #file: string
  readonly #trees: Map<string, Tree>

  /** Reads the witness from an existing folder, or makes a new one. Throws if there is a key but no file of cosigned trees. */
  constructor(folder: string, name: string) {
    const keyFile = join(folder, 'seed')
    this.name = name
    this.#file = join(folder, 'cosigned.json')
    if (!existsSync(keyFile)) {
      store(this.#file, '{}')
      store(keyFile, randomBytes(32).toString('hex'))
    }
    const seed = Buffer.from(readFileSync(keyFile, 'utf8'), 'hex')
    this.#key = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' })
    const { x = '' } = createPublicKey(this.#key).export({ format: 'jwk' })
    this.#publicKey = Buffer.from(x, 'base64url')
    this.#trees = new Map(readTrees(this.#file))
  }

  get vkey(): string {
    const material = Buffer.concat([Buffer.of(COSIGNATURE), this.#publicKey]).toString('base64')
    return `${this.name}+${keyIdOf(this.name, COSIGNATURE, this.#publicKey).toString('hex')}+${material}`
  }

  latest(origin: string): Tree {
    return this.#trees.get(origin) ?? { size: 0n, root: Buffer.alloc(0) }
  }

  /** Stores the tree before it returns. It is synchronous, so nothing can happen between a check and the storing. */
  advance(origin: string, tree: Tree): void {
    const trees = new Map(this.#trees).set(origin, tree)
    const json = [...trees].map(([log, { size, root }]) => [log, { size: String(size), root: root.toString('base64') }])
    store(this.#file, JSON.stringify(Object.fromEntries(json)))
    this.#trees.set(origin, tree)
  }

  /** Returns a signature line: this witness has seen the text at this time. */
  cosign(text: string, seconds: number): string {
    const time = Buffer.alloc(8)
    time.writeBigUInt64BE(BigInt(seconds))
    const signature = sign(null, Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`), this.#key)
    const blob = Buffer.concat([keyIdOf(this.name, COSIGNATURE, this.#publicKey), time, signature])
    return `— ${this.name} ${blob.toString('base64')}\n`
  }
}

const COSIGNATURE = 4

function readTrees(file: string): [string, Tree][] {
  if (!existsSync(file)) {
    throw new Error(`${file} is missing. Without it this key could cosign what contradicts what it cosigned before.`)
  }
  const trees = TreesSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  return Object.entries(trees).map(([origin, { size, root }]) => [
    origin,
    { size: BigInt(size), root: strictBase64(root) ?? Buffer.alloc(0) },
  ])
}

/** Replaces the file. If the machine stops meanwhile, the file has either the old text or the new one. */
function store(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600, flush: true })
  renameSync(`${file}.new`, file)
  const folder = openSync(dirname(file), 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
