// The list of every place of a request in which text can stand, with what reads it there. The scans and the count of characters
// go by it, and a test plants values in each place of both wire formats.

type PlaceOfText = {
  /**
   * How pii_scan treats a value that is to be redacted: it replaces the value, sends the request without the whole text, or
   * refuses the request, because the text would not do its work with a placeholder in it.
   */
  readonly redaction: 'replace' | 'leave_out' | 'refuse'
  /** How prompt_injection_guard reads it; null where no model reads it. A definition may tell a model what to do. */
  readonly injection: 'said' | 'definition' | null
  /** True if max_text_characters counts it. */
  readonly counted: boolean
}

export const TEXT_PLACES = {
  message_text: { redaction: 'replace', injection: 'said', counted: true },
  participant_name: { redaction: 'replace', injection: 'said', counted: true },
  // The bytes of pictures and PDFs are no text. Nothing is fetched or recognised here.
  image_address: { redaction: 'refuse', injection: 'said', counted: false },
  file_address: { redaction: 'refuse', injection: 'said', counted: false },
  file_name: { redaction: 'replace', injection: 'said', counted: true },
  file_text: { redaction: 'replace', injection: 'said', counted: true },
  // A provider refuses a thought of its model that was changed, and takes a turn without thoughts.
  thought: { redaction: 'leave_out', injection: 'said', counted: true },
  call_id: { redaction: 'replace', injection: 'said', counted: false },
  call_name: { redaction: 'refuse', injection: 'said', counted: true },
  call_arguments: { redaction: 'replace', injection: 'said', counted: true },
  tool_name: { redaction: 'refuse', injection: 'definition', counted: true },
  tool_description: { redaction: 'replace', injection: 'definition', counted: true },
  tool_schema: { redaction: 'replace', injection: 'definition', counted: true },
  format_name: { redaction: 'refuse', injection: 'definition', counted: true },
  format_description: { redaction: 'replace', injection: 'definition', counted: true },
  format_schema: { redaction: 'replace', injection: 'definition', counted: true },
  search_place: { redaction: 'replace', injection: 'said', counted: true },
  // Marks of chat templates end answers for good reasons.
  stop_sequence: { redaction: 'replace', injection: null, counted: false },
  user: { redaction: 'replace', injection: null, counted: false },
} as const satisfies Readonly<Record<string, PlaceOfText>>

export type TextPlace = keyof typeof TEXT_PLACES
