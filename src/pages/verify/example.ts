// An evidence bundle to try the page with. Its records, its organisation and its keys are invented, and their seeds are public.
import example from './example.json'

export const EXAMPLE_KEY = example.key

export const EXAMPLE_TEXT = JSON.stringify(example.bundle, null, 2)

/** The same, with another outcome written into its record afterwards. */
export const CHANGED_TEXT = EXAMPLE_TEXT.replace('"outcome": "ALLOWED"', '"outcome": "BLOCKED"')

export const isExample = (text: string | undefined): boolean => text === EXAMPLE_TEXT || text === CHANGED_TEXT
