// Documentation pages: a copy button on each code block, the service's address and the values of fields in the place of variables in
// the blocks, and contents that follow the scroll. The page is complete without this script.
import { render } from 'preact'
import { useState } from 'preact/hooks'
import type { SandboxKey } from '../../referral/sandbox-key.schema.ts'
import { sendRequest } from '../api/send-request.ts'
import { CopyButton } from '../parts/copy-button.view.tsx'
import { Field } from '../parts/field-frame.view.tsx'
import { enableSearch } from '../search/open-search.ts'

/** A heading counts as in view once it is in this upper part of the window. */
const UPPER_PART = 0.4
/** The header covers this much of the window, in pixels. */
const HEADER = 60

function followScroll(): void {
  const title = document.querySelector('h1')
  const links = Array.from(document.querySelectorAll<HTMLAnchorElement>('nav.guide-aside a'))
  const places = links.flatMap(({ hash }) => document.getElementById(decodeURIComponent(hash.slice(1))) ?? [])
  if (title === null || places.length === 0) return
  const mark = (): void => {
    const line = innerHeight * UPPER_PART
    // The first link leads to the beginning, which is in view as long as the title is.
    const isAtBeginning = title.getBoundingClientRect().bottom > HEADER
    const at = isAtBeginning ? 0 : places.findLastIndex((place) => place.getBoundingClientRect().top < line)
    for (const [index, link] of links.entries()) {
      if (index === at) link.setAttribute('aria-current', 'location')
      else link.removeAttribute('aria-current')
    }
  }
  // Each heading that crosses the line is reported, in both directions.
  const observer = new IntersectionObserver(mark, { rootMargin: `-${HEADER}px 0px -${(1 - UPPER_PART) * 100}% 0px` })
  for (const heading of [title, ...places.slice(1)]) observer.observe(heading)
}

/** Scrolls the side bar, and not the page, to the link of the open document. */
function showOpenDocument(): void {
  const sideBar = document.querySelector('.guide-nav')
  const open = sideBar?.querySelector('.no-narrow [aria-current=page]')
  if (sideBar === null || open === null || open === undefined) return
  const { top, height } = open.getBoundingClientRect()
  const space = sideBar.getBoundingClientRect()
  if (top + height > space.bottom) sideBar.scrollTop += top - space.top - space.height / 2
}

/** Values by the names of the variables. Empty ones are left out. */
type Variables = Readonly<Record<string, string>>

const VARIABLE = /\$([A-Z][A-Z_]*)\b/g

/** Returns the names of the variables in the texts, each once, in their order. */
const namesIn = (texts: readonly string[]): string[] => [
  ...new Set(texts.flatMap((text) => Array.from(text.matchAll(VARIABLE), ([, name = '']) => name))),
]

/** Returns the text with the values. A character that could end the quotes around a variable leaves the variable as it is. */
const fillVariables = (text: string, values: Variables): string =>
  text.replaceAll(VARIABLE, (variable, name: string) => {
    const value = values[name] ?? ''
    return /^[\w:/.@+-]+$/.test(value) ? value : variable
  })

const textNodesIn = (element: Element): Text[] =>
  Array.from(element.childNodes).flatMap((child) => {
    if (child instanceof Text) return [child]
    return child instanceof Element ? textNodesIn(child) : []
  })

/** The code blocks. Coloured code is several text nodes; a variable is whole in one of them. */
const blocks = Array.from(document.querySelectorAll('div.code:not(.languages), .language'), (block) => {
  const code = block.querySelector('code') ?? block
  const copy = (block.querySelector('.code-bar') ?? block).appendChild(document.createElement('span'))
  const texts = textNodesIn(code).map((node) => ({ node, written: node.data }))
  return { code, copy, texts, written: code.textContent }
})

function showCode(values: Variables): void {
  for (const { code, copy, texts } of blocks) {
    for (const { node, written } of texts) node.data = fillVariables(written, values)
    render(<CopyButton text={code.textContent} what="these lines" />, copy)
  }
}

/** Asks for the keys that the page's lines use. They stay in the memory of this page. */
function KeyFields({ names, first }: { names: readonly string[]; first: Variables }) {
  const [values, setValues] = useState(first)
  const change = (name: string, value: string): void => {
    const changed = { ...values, [name]: value.trim() }
    setValues(changed)
    showCode(changed)
  }
  return (
    <div class="stack">
      {names.map((name) => (
        <Field key={name} label={name} hint={HINTS[name]}>
          {(control) => (
            <input
              {...control}
              type="text"
              autocomplete="off"
              spellcheck={false}
              autocapitalize="off"
              value={values[name] ?? ''}
              onInput={({ currentTarget: { value } }) => change(name, value)}
            />
          )}
        </Field>
      ))}
      <p class="small soft">Kept in the memory of this page only, until you leave or reload it.</p>
    </div>
  )
}

const HINTS: Readonly<Record<string, string>> = {
  KEY: 'A sandbox key: vk_test_…',
  LIVE_KEY: 'A live key: vk_live_…',
  GATEWAY_KEY: 'A key for calls to models: aqta_…',
  MANAGEMENT_KEY: 'A key with the scope manage: aqta_…',
  EMAIL: 'The e-mail address of an owner.',
}

/** The fields are shown without a shared key if the service does not answer by then. */
const WAITS_FOR_KEY_MS = 3000

/** The page knows the address of its service. */
const KNOWN: Variables = { URL: location.origin }

async function fetchSandboxKey(): Promise<string> {
  const answer = await sendRequest<SandboxKey>('GET', '/v1/sandbox-key', { withinMs: WAITS_FOR_KEY_MS })
  return answer.outcome === 'answered' ? (answer.body.key ?? '') : ''
}

/** Keys are filled in once somebody opens the fields. */
function offerKeyFields(): void {
  const fields = document.querySelector('#key-fields')
  const names = namesIn(blocks.map(({ written }) => written)).filter((name) => name in HINTS)
  const open = async (): Promise<void> => {
    const first = { ...KNOWN, ...(names.includes('KEY') && { KEY: await fetchSandboxKey() }) }
    showCode(first)
    if (fields !== null) render(<KeyFields names={names} first={first} />, fields)
  }
  fields?.closest('details')?.addEventListener('toggle', () => void open(), { once: true })
}

showCode(KNOWN)
offerKeyFields()
followScroll()
showOpenDocument()
enableSearch()
