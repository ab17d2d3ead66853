// The last event of a whole answer, as the chat standard has it.
import { dataEvent } from '../stream/event-writer.ts'

export const closingMark = (): Uint8Array[] => [dataEvent('[DONE]')]
