// Puts placeholders in the place of what differs between two runs. The same value gets the same placeholder within a chapter.

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Dates of the sample, of the law and of the exchange rate: they stay, whatever today is. */
const FIXED_DATES = new Set(['2026-09-24', '2026-10-09', '2026-11-20', '2026-11-21'])

/** No request names a time within so many days, so one that is answered depends on now. Seven years are the longest retention. */
const PAST_MS = 600 * DAY_MS
const FUTURE_MS = 3000 * DAY_MS

/** No answer counts more days from today than this, apart from times with an hour. */
const DATE_DAYS = 40

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'

/** Base64 of random bytes. A table puts an apostrophe before what a spreadsheet would take for a formula. */
const BASE64 =
  /(?<![\w/+-])'?(?=[\w/+-]*[a-z])(?=[\w/+-]*[A-Z])(?:(?=[\w/+-]*\d)[\w/+-]{32,}|[\w/+-]{40,})={0,2}(?![\w/+-])/g

const today = (): number => Math.floor(Date.now() / DAY_MS)

const signed = (count: number, unit: string): string => (count === 0 ? '' : `${count < 0 ? '' : '+'}${count}${unit}`)

/** How far a time is from now, so that an expiry is held and the moment of the run is not. */
function describeTime(ms: number): string | null {
  const distance = ms - Date.now()
  if (distance < -PAST_MS || distance > FUTURE_MS) return null
  if (ms % DAY_MS === 0 && Math.abs(distance) < DATE_DAYS * DAY_MS)
    return `<midnight${signed(ms / DAY_MS - today(), 'd')}>`
  if (Math.abs(distance) < 4 * MINUTE_MS) return '<now>'
  if (Math.abs(distance) < HOUR_MS - 10 * MINUTE_MS)
    return `<now${signed(Math.round(distance / (15 * MINUTE_MS)) * 15, 'm')}>`
  if (Math.abs(distance) < DAY_MS - HOUR_MS) return `<now${signed(Math.round(distance / HOUR_MS), 'h')}>`
  return `<now${signed(Math.round(distance / DAY_MS), 'd')}>`
}

function describeDate(date: string): string {
  const days = Date.parse(date) / DAY_MS - today()
  return FIXED_DATES.has(date) || Math.abs(days) > DATE_DAYS ? date : `<today${signed(days, 'd')}>`
}

/** An entry of a log whose text can be read: its tag, its 16 random bytes, and the text that is hashed. */
function openEntry(before: string, base64: string): string | null {
  const bytes = Buffer.from(base64, 'base64')
  const text = bytes.subarray(17).toString()
  return text.startsWith('{') && text.endsWith('}') ? `${before}tag ${bytes[0]}, 16 bytes, ${text}"` : null
}

export class Placeholders {
  readonly #names = new Map<string, string>()
  readonly #counts = new Map<string, number>()
  readonly #known: readonly [string, string][]

  /** @param known texts that have a name of their own, as the address of the service */
  constructor(known: Record<string, string>) {
    this.#known = Object.entries(known)
  }

  replaceIn(text: string): string {
    const named = this.#known.reduce((rest, [name, value]) => rest.replaceAll(value, `<${name}>`), text)
    return named
      .replaceAll(
        /("entry": ?")([\w/+-]{24,}={0,2})"/g,
        (whole, before: string, bytes: string) => openEntry(before, bytes) ?? whole,
      )
      .replaceAll(/\b(vk_test_|vk_live_|aqta_|sk-aqta-)([0-9A-Za-z]{40,})\b/g, (_, prefix: string, secret: string) =>
        this.#number(`${prefix}secret`, secret),
      )
      .replaceAll(new RegExp(`\\b([a-z]{2,5})[_-](${UUID})`, 'g'), (_, kind: string, id: string) =>
        this.#number(kind, id.replaceAll('-', '')),
      )
      .replaceAll(new RegExp(UUID, 'g'), (id) => this.#number('uuid', id.replaceAll('-', '')))
      .replaceAll(/(?<![0-9A-Za-z])[0-9a-f]{64}(?![0-9A-Za-z])/g, (hash) => this.#number('sha256', hash))
      .replaceAll(/(?<![0-9A-Za-z])[0-9a-f]{32}(?![0-9A-Za-z])/g, (id) => this.#number('hex', id))
      .replaceAll(/(?<![0-9A-Za-z])[0-9a-f]{16}(?![0-9A-Za-z])/g, (id) => this.#number('hex16', id))
      .replaceAll(/emulator-?(\d{6})/g, (_, count: string) => this.#number('emulated', count))
      .replaceAll(BASE64, (bytes) => this.#numberBytes(bytes.replace(/^'/, '')))
      .replaceAll(/\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z/g, (time) => describeTime(Date.parse(time)) ?? time)
      .replaceAll(/\b20\d\d-\d\d-\d\d\b(?!T)/g, describeDate)
      .replaceAll(/"20\d\d-\d\d"/g, (month) =>
        Math.abs(Date.parse(month.slice(1, -1)) - Date.now()) < 35 * DAY_MS ? '"<month>"' : month,
      )
      .replaceAll(/(?<=[":\s,])1[789]\d{11}\b/g, (ms) => describeTime(Number(ms)) ?? ms)
      .replaceAll(/(?<=[":\s,])1[789]\d{8}\b/g, (seconds) => describeTime(Number(seconds) * 1000) ?? seconds)
      .replaceAll(/("(?:mean|p50|p95|p99)": ?)\d+/g, '$1<ms>')
      .replaceAll(/"last_four": ?"\w{4}"/g, '"last_four": "<four>"')
      .replaceAll(/(\blast_four,)\w{4}\b/g, '$1<four>')
      .replaceAll(/(_ms,)\d+/g, '$1<ms>')
      .replaceAll(/("retry_after": ?)\d+/g, '$1<number>')
      .replaceAll(/\b\d+ (seconds?)\b/g, '<number> $1')
      .replaceAll(/("{1,2}(?:\w+_)?ms"{1,2}: ?)\d+/g, '$1<ms>')
  }

  #numberBytes(base64: string): string {
    return this.#number(`${base64.length} characters`, base64)
  }

  #number(kind: string, value: string): string {
    const name = this.#names.get(value)
    if (name !== undefined) return name
    const count = (this.#counts.get(kind) ?? 0) + 1
    this.#counts.set(kind, count)
    const made = `<${kind} ${count}>`
    this.#names.set(value, made)
    return made
  }
}
