// Code in a dark box: its name, one tab for each language, and a button that copies what is shown.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { piecesOf, type Language } from '../text/highlight.ts'
import { keepInTab, keptInTab } from '../api/tab-storage.ts'
import { CopyButton } from './copy-button.view.tsx'
import { useUniqueId } from './field-frame.view.tsx'

export type CodeTab = {
  name: string
  language: Language
  text: string
  /** What the button copies, where it is more than what is shown. */
  whole?: string | undefined
}

/** Where the language that somebody chose is kept: for every box, until the browser is closed. */
const CHOSEN = 'language'

/** @param what names the code for screen readers */
export function CodeTabs({ title, what, tabs }: { title: string; what: string; tabs: readonly CodeTab[] }) {
  const id = useUniqueId()
  const [chosen, setChosen] = useState(() => keptInTab(CHOSEN))
  const shown = tabs.find(({ name }) => name === chosen) ?? tabs[0]
  if (shown === undefined) return null
  const choose = (name: string): void => {
    keepInTab(CHOSEN, name)
    setChosen(name)
  }
  const hasTabs = tabs.length > 1
  return (
    <CodeBox
      title={title}
      what={what}
      text={shown.whole ?? shown.text}
      tabs={
        hasTabs && (
          <Tabs
            names={tabs.map(({ name }) => name)}
            chosen={shown.name}
            onChoose={choose}
            panel={id}
            label="Language"
          />
        )
      }
    >
      <pre id={id} tabIndex={0} {...(hasTabs && { role: 'tabpanel', 'aria-label': `${what}, ${shown.name}` })}>
        <Code text={shown.text} language={shown.language} />
      </pre>
    </CodeBox>
  )
}

type BoxProps = {
  title: string
  /** What the text is, for screen readers. */
  what: string
  /** What the button copies. */
  text: string
  tabs?: ComponentChildren
  children: ComponentChildren
}

/** The box: a bar with the title, tabs and the copy button, and the code below. */
export const CodeBox = ({ title, what, text, tabs, children }: BoxProps) => (
  <div class="code">
    <div class="code-bar">
      <span class="code-title">{title}</span>
      {tabs}
      <CopyButton text={text} what={what} />
    </div>
    {children}
  </div>
)

export const Code = ({ text, language }: { text: string; language: Language }) => (
  <code>
    {piecesOf(text, language).map(({ kind, text: piece }, at) =>
      kind === 'plain' ? (
        piece
      ) : (
        <span key={at} class={`of-${kind}`}>
          {piece}
        </span>
      ),
    )}
  </code>
)

type TabsProps = {
  names: readonly string[]
  chosen: string
  onChoose: (name: string) => void
  /** The id of what the tabs show. */
  panel: string
  label: string
}

/** A row of tabs: the arrows go from one to the next, as https://www.w3.org/WAI/ARIA/apg/patterns/tabs/ has it. */
export function Tabs({ names, chosen, onChoose, panel, label }: TabsProps) {
  const walk = (event: KeyboardEvent & { currentTarget: HTMLElement }): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (step === 0) return
    const next = names.at((names.indexOf(chosen) + step) % names.length) ?? chosen
    onChoose(next)
    event.currentTarget.querySelectorAll('button').item(names.indexOf(next)).focus()
  }
  return (
    <div role="tablist" aria-label={label} onKeyDown={walk}>
      {names.map((name) => (
        <button
          key={name}
          type="button"
          role="tab"
          aria-selected={name === chosen}
          aria-controls={panel}
          tabIndex={name === chosen ? 0 : -1}
          onClick={() => onChoose(name)}
        >
          {name}
        </button>
      ))}
    </div>
  )
}
