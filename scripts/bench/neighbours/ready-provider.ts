// A provider whose answers are there at once, in as many pieces as a request asks for. It shows what one call does to others. It
// writes raw bytes, so that it is always ahead of its reader. It speaks OpenAI's format, and Google's for streams.
import { createServer, type Socket } from 'node:net'

export type ReadyProvider = { url: string; close: () => void }

/**
 * A request asks for its answer by words in its text: `ready,EVENTS,EACH` is a stream with EACH events in an HTTP chunk,
 * `paced,EVENTS,MS` one event every MS, `silent` a stream that stops after its first event, and `pieces,CHARACTERS` a whole
 * answer with a chunk for each character. Others get a short answer.
 */
const WANTED = /\b(ready|paced|silent|pieces)(?:,(\d+))?(?:,(\d+))?\b/

const TEXT = 'word '

type Format = { first: string; text: string; last: string }

const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`

const choiceEvent = (delta: object, finish: string | null = null): string =>
  event({
    id: 'c-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'gpt-4.1-mini',
    choices: [{ index: 0, delta, finish_reason: finish }],
  })

const candidateEvent = (text: string, more: object = {}): string =>
  event({ candidates: [{ content: { role: 'model', parts: [{ text }] }, index: 0, ...more }] })

const OPENAI: Format = {
  first: choiceEvent({ role: 'assistant', content: '' }),
  text: choiceEvent({ content: TEXT }),
  last: `${choiceEvent({}, 'stop')}data: [DONE]\n\n`,
}

const GOOGLE: Format = {
  first: candidateEvent(TEXT),
  text: candidateEvent(TEXT),
  last: candidateEvent('', { finishReason: 'STOP' }),
}

const wholeAnswer = (text: string): string =>
  JSON.stringify({
    id: 'c-2',
    object: 'chat.completion',
    created: 1,
    model: 'gpt-4.1-mini',
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 8, completion_tokens: 8, total_tokens: 16 },
  })

const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`

const END = chunk('')

const head = (type: string): string => `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ntransfer-encoding: chunked\r\n\r\n`

function answer(socket: Socket, path: string, body: string): void {
  const [, kind, count = '1', second = '1'] = WANTED.exec(body) ?? []
  const { first, text, last } = path.includes('streamGenerateContent') ? GOOGLE : OPENAI
  const begun = `${head('text/event-stream')}${chunk(first)}`
  const end = `${chunk(last)}${END}`
  if (kind === 'ready') {
    const each = Number(second)
    socket.write(`${begun}${chunk(text.repeat(each)).repeat(Number(count) / each)}${end}`)
  } else if (kind === 'silent') {
    socket.write(begun)
  } else if (kind === 'paced') {
    socket.write(begun)
    pace(socket, { piece: chunk(text), end, left: Number(count), everyMs: Number(second) })
  } else {
    const whole = wholeAnswer(kind === 'pieces' ? 'x'.repeat(Number(count)) : 'Yes.')
    const pieces = kind === 'pieces' ? whole.replaceAll(/./g, chunk) : chunk(whole)
    socket.write(`${head('application/json')}${pieces}${END}`)
  }
}

type Pace = { piece: string; end: string; left: number; everyMs: number }

function pace(socket: Socket, { left, ...rest }: Pace): void {
  if (socket.destroyed) return
  socket.write(left === 0 ? rest.end : rest.piece)
  if (left > 0) setTimeout(() => pace(socket, { ...rest, left: left - 1 }), rest.everyMs)
}

/** Starts the provider on a free port. Requests need a content-length. */
export async function startReadyProvider(): Promise<ReadyProvider> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    let read = ''
    sockets.add(socket.setNoDelay(true))
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    socket.on('data', (bytes) => {
      read += bytes.toString('latin1')
      const bodyStart = read.indexOf('\r\n\r\n') + 4
      const length = Number(/^content-length: *(\d+)/im.exec(read)?.[1])
      if (bodyStart < 4 || read.length < bodyStart + length) return
      answer(socket, read.slice(0, read.indexOf('\r\n')), read.slice(bodyStart))
      read = ''
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
