// A witness of transparency logs over HTTP (c2sp.org/tlog-witness), on this machine only. See docs/transparency.md.
import { mkdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { listen, type Listening } from '../listen.ts'
import { readBodyText } from '../request-body.ts'
import { addCheckpoint, type Answer } from './add-checkpoint.ts'
import { lockFolder } from '../lock-folder.ts'
import { readLogVkey } from './note.ts'
import { WitnessState } from './state.ts'

export type WitnessOptions = {
  /** 0: any that is free. */
  port?: number
  /** Where its key and what it has cosigned are kept. */
  folder: string
  /** The name of its key. */
  name: string
  /** The vkeys of the logs that it watches. */
  logs: readonly string[]
  /** Milliseconds since the epoch. */
  clock?: () => number
}

/** `url`: the submission prefix. */
export type RunningWitness = Listening & { vkey: string }

const MOST_BODY_BYTES = 256 * 1024

/** Rejects where the port is taken, the folder cannot be used or is another witness's, or a vkey is none. */
export async function startWitness(options: WitnessOptions): Promise<RunningWitness> {
  mkdirSync(options.folder, { recursive: true })
  const unlock = lockFolder(
    options.folder,
    `Another witness runs in ${options.folder}. Two with one key could cosign what contradicts each other.`,
  )
  try {
    const witness = await serve(options)
    return { ...witness, close: () => witness.close().finally(unlock) }
  } catch (thrown) {
    unlock()
    throw thrown
  }
}

async function serve({ port = 0, folder, name, logs, clock = Date.now }: WitnessOptions): Promise<RunningWitness> {
  const state = new WitnessState(folder, name)
  const watching = { state, logs: logs.map(readLogVkey), seconds: () => Math.floor(clock() / 1000) }
  const server = createServer((request, response) => {
    const send = ({
      status,
      text,
      type,
    }: Answer | { status: 405 | 413 | 500; text: string; type?: undefined }): void => {
      response.writeHead(status, { 'content-type': type ?? 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
      response.end(text)
    }
    const isSubmission = request.method === 'POST' && request.url === '/add-checkpoint'
    if (!isSubmission) return send(request.url === '/add-checkpoint' ? NOT_POSTED : NOT_FOUND)
    readBodyText(request, MOST_BODY_BYTES).then(
      (body) => send(body === null ? TOO_LARGE : answer(body, watching)),
      () => response.destroy(),
    )
  })
  return { ...(await listen(server, { port })), vkey: state.vkey }
}

const NOT_FOUND = { status: 404, text: 'There is POST /add-checkpoint.\n' } as const
const NOT_POSTED = { status: 405, text: 'A checkpoint is posted.\n' } as const
const TOO_LARGE = { status: 413, text: 'A submission has at most 256 KiB here.\n' } as const
const NOT_STORED = { status: 500, text: 'It could not be stored, and is not cosigned.\n' } as const

function answer(body: string, watching: Parameters<typeof addCheckpoint>[1]) {
  try {
    return addCheckpoint(body, watching)
  } catch {
    return NOT_STORED
  }
}
