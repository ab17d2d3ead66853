// The file that the search reads. The build makes it (scripts/pages/search-index.ts).

/** Entries are arrays, because the names of their members would be half of the file. */
export type SearchFile = {
  /** The file name, the title and the group of each document. */
  documents: (readonly [name: string, title: string, group: string])[]
  sections: SectionEntry[]
  operations: OperationEntry[]
}

/** `document` is a position in `documents`. `anchor` and `heading` are empty for the beginning of a document. */
type SectionEntry = readonly [document: number, anchor: string, heading: string, excerpt: string, words: string]

/** `words`: names of parameters and schemas, and error codes. */
export type OperationEntry = readonly [
  operationId: string,
  method: string,
  path: string,
  summary: string,
  words: string,
]
