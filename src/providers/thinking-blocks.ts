// Collects thinking blocks that arrive in pieces, so that the caller can send them back in the next turn. A provider refuses a
// block that is incomplete, moved or changed.
import { byteLength } from './lossless-json.ts'
import type { ThinkingBlock } from './chat-request.ts'

type NewPiece = { index: number; piece: ThinkingBlock; isAfterOutput?: boolean | undefined }

export function createThinkingBlocks() {
  const blocks = new Map<number, ThinkingBlock>()
  let bytes = 0
  let isAnyAfterOutput = false
  const ordered = () => [...blocks].toSorted(([first], [second]) => first - second).map(([, block]) => block)
  return {
    add({ index, piece, isAfterOutput = false }: NewPiece): void {
      isAnyAfterOutput ||= isAfterOutput
      bytes += thinkingBytes(piece)
      blocks.set(index, append(blocks.get(index), piece))
    },
    /**
     * Returns the blocks that can be sent back, in order; undefined if there is none. If a block came after text or a call, none can
     * be: OpenAI's messages lose its position. Anthropic refuses a moved block, but accepts a turn without blocks.
     */
    blocks: () => (isAnyAfterOutput ? undefined : completeBlocks(ordered())),
    /** Returns all blocks, in order; undefined if there is none. */
    all: () => (blocks.size === 0 ? undefined : ordered()),
    /** Returns their size in bytes (UTF-8). */
    bytes: () => bytes,
  }
}

/** Drops blocks that broke off, because one without its signature is refused. Returns undefined if none is left. */
function completeBlocks(blocks: readonly ThinkingBlock[]): readonly ThinkingBlock[] | undefined {
  const sealed = blocks.filter((block) => (block.type === 'thinking' ? block.signature : block.data) !== '')
  return sealed.length === 0 ? undefined : sealed
}

export const thinkingBytes = (piece: ThinkingBlock): number =>
  piece.type === 'thinking' ? byteLength(piece.thinking) + byteLength(piece.signature) : byteLength(piece.data)

function append(block: ThinkingBlock | undefined, piece: ThinkingBlock): ThinkingBlock {
  if (block?.type === 'thinking' && piece.type === 'thinking') {
    const { thinking, signature } = piece
    return { type: 'thinking', thinking: block.thinking + thinking, signature: block.signature + signature }
  }
  if (block?.type === 'redacted_thinking' && piece.type === 'redacted_thinking') {
    return { type: 'redacted_thinking', data: block.data + piece.data }
  }
  return piece
}
