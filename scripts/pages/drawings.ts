// The drawings of the documents. A fenced block `drawing NAME` in Markdown has the drawing's text alternative, an empty line, and its
// caption. Colours are classes of src/pages/style/documents.css. A phone scrolls them.
import { escapeHtml } from './escape-html.ts'

type Box = {
  x: number
  y: number
  width: number
  height: number
  title: string
  /** A second line below the title. */
  note?: string
  look?: 'policy' | 'held' | 'blocked' | 'record'
}

type Drawing = {
  width: number
  height: number
  boxes: readonly Box[]
  /** Paths of arrows. Green ones are what is proven. */
  arrows: readonly { path: string; isProof?: boolean; label?: readonly [x: number, y: number, text: string] }[]
}

/** The head of an arrow that ends here and points to the right. */
const RIGHT = 'm-6-4 6 4-6 4'

const DRAWINGS: Readonly<Record<string, Drawing>> = {
  'life-of-a-call': {
    width: 720,
    height: 250,
    boxes: [
      { x: 1, y: 30, width: 128, height: 56, title: 'Your program', note: 'any OpenAI client' },
      { x: 190, y: 30, width: 140, height: 56, title: 'Your policy', note: 'the rules you set', look: 'policy' },
      { x: 520, y: 1, width: 198, height: 34, title: 'Provider is called' },
      { x: 520, y: 43, width: 198, height: 34, title: 'Held for a person', look: 'held' },
      { x: 520, y: 85, width: 198, height: 34, title: 'Blocked, nothing sent', look: 'blocked' },
      { x: 190, y: 192, width: 140, height: 56, title: 'Signed record', note: 'of each decision', look: 'record' },
      { x: 391, y: 192, width: 128, height: 56, title: 'Your log', note: 'the record' },
      { x: 580, y: 192, width: 138, height: 56, title: 'Public log', note: 'only its hash' },
    ],
    arrows: [
      { path: `M129 58h57${RIGHT}` },
      { path: `M330 58h60V18h126${RIGHT}`, label: [452, 13, 'pass'] },
      { path: `M390 58v2h126${RIGHT}`, label: [452, 54, 'hold'] },
      { path: `M390 58v44h126${RIGHT}`, label: [452, 96, 'block'] },
      { path: 'M260 86v102m-4-6 4 6 4-6', isProof: true, label: [276, 142, 'sign'] },
      { path: `M330 220h57${RIGHT}`, isProof: true },
      { path: `M519 220h57${RIGHT}`, isProof: true },
    ],
  },
  'logs-and-witnesses': {
    width: 720,
    height: 262,
    boxes: [
      { x: 1, y: 1, width: 170, height: 50, title: 'Calls and changes', note: 'each is an entry' },
      { x: 1, y: 104, width: 170, height: 56, title: 'Your log', note: 'entries and their hashes', look: 'record' },
      { x: 275, y: 104, width: 170, height: 56, title: 'Public log', note: 'hashes only', look: 'record' },
      { x: 549, y: 104, width: 170, height: 56, title: 'Witnesses', note: 'of other operators', look: 'policy' },
      { x: 275, y: 205, width: 170, height: 56, title: 'Anyone', note: 'checks without the service' },
    ],
    arrows: [
      { path: 'M86 51v49m-4-6 4 6 4-6', isProof: true, label: [124, 82, 'append'] },
      { path: `M171 132h100${RIGHT}`, isProof: true, label: [222, 124, 'receipts'] },
      { path: `M445 122h100${RIGHT}`, isProof: true, label: [496, 114, 'checkpoint'] },
      { path: 'M549 146h-100m6-4-6 4 6 4', isProof: true, label: [496, 164, 'cosignature'] },
      { path: `M86 160v73h185${RIGHT}`, label: [178, 225, 'export'] },
      { path: 'M360 160v41m-4-6 4 6 4-6', label: [392, 186, 'proofs'] },
    ],
  },
  'states-of-an-approval': {
    width: 720,
    height: 186,
    boxes: [
      { x: 1, y: 10, width: 130, height: 46, title: 'pending', look: 'held' },
      { x: 197, y: 10, width: 130, height: 46, title: 'approved', look: 'policy' },
      { x: 393, y: 10, width: 130, height: 46, title: 'claimed', look: 'policy' },
      { x: 589, y: 10, width: 130, height: 46, title: 'executed', look: 'record' },
      { x: 1, y: 139, width: 130, height: 46, title: 'denied', look: 'blocked' },
      { x: 197, y: 139, width: 130, height: 46, title: 'expired', look: 'blocked' },
      { x: 393, y: 139, width: 130, height: 46, title: 'withdrawn', look: 'blocked' },
    ],
    arrows: [
      { path: `M131 26h62${RIGHT}`, label: [163, 18, 'approve'] },
      { path: 'M197 44h-62m6-4-6 4 6 4', label: [163, 62, 'right lost'] },
      { path: `M327 26h62${RIGHT}`, label: [359, 18, 'sent again'] },
      { path: 'M393 44h-62m6-4-6 4 6 4', label: [359, 62, 'not sent'] },
      { path: `M523 33h62${RIGHT}`, isProof: true, label: [555, 25, 'call ends'] },
      { path: 'M40 56v79m-4-6 4 6 4-6', label: [62, 102, 'deny'] },
      { path: 'M92 56v54h130v25m-4-6 4 6 4-6', label: [156, 104, 'time over'] },
      { path: 'M262 56v79m-4-6 4 6 4-6', label: [288, 130, '1 hour'] },
      { path: 'M306 56v42h152v37m-4-6 4 6 4-6', label: [408, 92, 'policy or key changes'] },
    ],
  },
}

/** Returns the figure. Throws if there is no such drawing, or its block has no alternative or no caption. */
export function drawingFigure(name: string, text: string): string {
  const drawing = DRAWINGS[name]
  const [alternative, caption] = text.split(/\n\s*\n/)
  if (drawing === undefined || alternative === undefined || caption === undefined) {
    throw new Error(`no drawing is called ${name}, or it has no text alternative and caption`)
  }
  return `<figure class="card stack drawing" tabindex="0">${svgOf(drawing, alternative)}<figcaption class="soft">${escapeHtml(caption)}</figcaption></figure>\n`
}

function svgOf({ width, height, boxes, arrows }: Drawing, alternative: string): string {
  const drawnArrows = arrows.map(
    ({ path, isProof = false, label }) =>
      `<path${isProof ? ' class="record"' : ''} d="${path}" />${label === undefined ? '' : textAt(label[0], label[1], label[2], 'note')}`,
  )
  return `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeHtml(alternative.replaceAll('\n', ' '))}">${drawnArrows.join('')}${boxes.map(boxOf).join('')}</svg>`
}

function boxOf({ x, y, width, height, title, note, look }: Box): string {
  const middle = x + width / 2
  const baseline = y + height / 2 + 5
  const words =
    note === undefined
      ? textAt(middle, baseline, title)
      : textAt(middle, baseline - 8, title) + textAt(middle, baseline + 10, note, 'note')
  return `<rect${look === undefined ? '' : ` class="${look}"`} x="${x}" y="${y}" width="${width}" height="${height}" rx="6" />${words}`
}

const textAt = (x: number, y: number, text: string, look?: 'note'): string =>
  `<text${look === undefined ? '' : ` class="${look}"`} x="${x}" y="${y}">${escapeHtml(text)}</text>`
