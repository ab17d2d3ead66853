// Writes an emulated answer to the connection: waits for a slow caller, stops when the caller leaves, and records how it ended.
// Every answer has the header that names the emulator.

import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RecordedRequest } from './request-recorder.ts'

const EMULATOR_HEADER = 'x-emulator'
const EMULATOR_NAME = 'countersign'

export interface Reply {
  readonly record: RecordedRequest
  head: (status: number, headers: Record<string, string>) => void
  /** Sends the headers before the body. */
  flush: () => void
  /** Resolves to false if the caller has left. */
  write: (bytes: Uint8Array) => Promise<boolean>
  pause: (ms: number) => Promise<boolean>
  finish: (bytes?: Uint8Array) => void
  /** Cuts the connection after everything written has been sent. */
  breakOff: () => void
}

export function createReply(response: ServerResponse, record: RecordedRequest, onClose: () => void): Reply {
  const gone = new AbortController()
  response.on('close', () => {
    if (record.state === 'open') record.state = response.writableFinished ? 'finished' : 'cancelled'
    gone.abort()
    onClose()
  })
  response.on('error', () => gone.abort())
  return {
    record,
    head(status, headers) {
      record.status = status
      response.writeHead(status, { [EMULATOR_HEADER]: EMULATOR_NAME, ...headers })
    },
    flush: () => response.flushHeaders(),
    async write(bytes) {
      if (gone.signal.aborted) return false
      record.bytesSent += bytes.length
      if (!response.write(bytes)) await drained(response, gone.signal)
      return !gone.signal.aborted
    },
    async pause(ms) {
      if (ms > 0) await sleep(ms, undefined, { signal: gone.signal }).catch(() => undefined)
      return !gone.signal.aborted
    },
    finish(bytes) {
      if (gone.signal.aborted) return
      record.bytesSent += bytes?.length ?? 0
      response.end(bytes)
    },
    breakOff() {
      if (gone.signal.aborted) return
      record.state = 'broken'
      response.socket?.destroySoon()
    },
  }
}

async function drained(response: ServerResponse, gone: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = (): void => {
      response.off('drain', done)
      gone.removeEventListener('abort', done)
      resolve()
    }
    response.once('drain', done)
    gone.addEventListener('abort', done)
  })
}
