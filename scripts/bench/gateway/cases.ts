// What is asked in each case, how the provider answers it, and how an answer is known to be whole.

export type ChatCase = {
  readonly name: string
  readonly connections: number
  /** Of the emulator. */
  readonly behaviour: string
  readonly promptBytes: number
  /** How many pieces of text the stream has; null where the answer is asked for in one piece. */
  readonly events: number | null
}

const PROMPT_BYTES = 400
const KIB = 1024

const inOnePiece = { promptBytes: PROMPT_BYTES, events: null } as const
const streamOf = (events: number, gapMs: number) => ({
  promptBytes: PROMPT_BYTES,
  events,
  behaviour: `stream,${events},${gapMs}`,
})

export const CASES: readonly ChatCase[] = [
  { name: 'json, instant, c1', connections: 1, behaviour: 'ok', ...inOnePiece },
  { name: 'json, instant, c16', connections: 16, behaviour: 'ok', ...inOnePiece },
  { name: 'json, 20 ms, c1', connections: 1, behaviour: 'slow,20', ...inOnePiece },
  { name: 'json, 20 ms, c16', connections: 16, behaviour: 'slow,20', ...inOnePiece },
  { name: 'json, instant, 32 KiB prompt, c16', connections: 16, behaviour: 'ok', ...inOnePiece, promptBytes: 32 * KIB },
  { name: 'stream, 20 at once, c16', connections: 16, ...streamOf(20, 0) },
  { name: 'stream, 200 at once, c16', connections: 16, ...streamOf(200, 0) },
  { name: 'stream, 20 every 5 ms, c1', connections: 1, ...streamOf(20, 5) },
  { name: 'stream, 200 every 5 ms, c16', connections: 16, ...streamOf(200, 5) },
]

const FILLER = 'A referral letter that nobody wrote, about a knee that nobody has. '

/** Bodies for one case, no two alike: the same request over and over would be taken for a loop. */
export function chatBodies({ promptBytes, events }: ChatCase): () => string {
  const filler = FILLER.repeat(Math.ceil(promptBytes / FILLER.length)).slice(0, promptBytes)
  return () =>
    JSON.stringify({
      model: 'gpt-4.1-mini',
      messages: [
        { role: 'system', content: 'Answer in one sentence.' },
        { role: 'user', content: `Question ${crypto.randomUUID()}. ${filler}` },
      ],
      temperature: 0.2,
      max_tokens: 512,
      ...(events === null ? {} : { stream: true }),
    })
}

export function isWhole(answer: string, { events }: ChatCase): boolean {
  if (events === null) return answer.includes('"object":"chat.completion"') && answer.includes('"finish_reason":"stop"')
  return answer.endsWith('data: [DONE]\n\n') && answer.split('data: {').length > events
}
