// What every operation answers before it looks for anything: a line for each fault, and each sentence once.
import type { Exchange } from './chapter.ts'
import { withKinds } from './placeholders.ts'
import { errorOf } from './section.ts'

/** The titles of the exchanges are `operation: fault`. */
export function doorsTable(exchanges: readonly Exchange[]): string {
  const rows = exchanges.map((exchange) => {
    const headers = new Set(
      exchange.answerHeaders.map((header) => (header.split(':')[0] ?? '').replace(/^(x-ratelimit)-.*/, '$1-*')),
    )
    const beside = headers.size === 0 ? '' : ` (${[...headers].join(', ')})`
    return `${exchange.title} → ${outcome(exchange)}${beside}`
  })
  const sentences = exchanges.flatMap((exchange) => {
    const error = errorOf(exchange.answer.text)
    if (error === null) return []
    const fields = (error.fields ?? []).map(({ path, rule }) => ` [${path}: ${rule}]`).join('')
    return [withKinds(`${outcome(exchange)}: ${error.message}${fields}`, exchange.known)]
  })
  return `${rows.join('\n')}\n\n== sentences\n\n${[...new Set(sentences)].toSorted().join('\n')}\n`
}

function outcome({ answer }: Exchange): string {
  const error = errorOf(answer.text)
  return error === null ? String(answer.status) : `${answer.status} ${error.code}`
}
