// Renders the Markdown of the OpenAPI document: paragraphs, lists, code, bold, links. Makes nodes, never HTML.
import type { ComponentChildren } from 'preact'
import { isUnbroken } from '../text/highlight.ts'

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)\s]+)\)|<(https:\/\/[^>\s]+)>/g

export const Markdown = ({ text }: { text: string }) => (
  <>
    {text.split(/\n{2,}/).map((block, at) => (
      <Block key={at} lines={block.split('\n')} />
    ))}
  </>
)

function Block({ lines }: { lines: readonly string[] }) {
  if (!lines.every((line) => line.startsWith('- '))) return <p>{inlineMarkdown(lines.join(' '))}</p>
  return (
    <ul>
      {lines.map((line, at) => (
        <li key={at}>{inlineMarkdown(line.slice(2))}</li>
      ))}
    </ul>
  )
}

/** Renders one line of Markdown. */
export function inlineMarkdown(text: string): ComponentChildren[] {
  const nodes: ComponentChildren[] = []
  let end = 0
  for (const found of text.matchAll(INLINE)) {
    nodes.push(text.slice(end, found.index), nodeOf(found))
    end = found.index + found[0].length
  }
  nodes.push(text.slice(end))
  return nodes
}

function nodeOf([whole, code, bold, words, target, address]: RegExpMatchArray): ComponentChildren {
  if (code !== undefined) return <code class={isUnbroken(code) ? 'nowrap' : undefined}>{code}</code>
  if (bold !== undefined) return <strong>{inlineMarkdown(bold)}</strong>
  if (address !== undefined) return <a href={address}>{address}</a>
  if (words !== undefined && target !== undefined && isOurs(target)) return <a href={target}>{inlineMarkdown(words)}</a>
  return whole
}

/** True for a path of this site, or an anchor on this page. */
const isOurs = (target: string): boolean => /^(#|\/(?![/\\]))/.test(target)
