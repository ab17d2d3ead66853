// Checks each line of a file, or the export that the lines form. The page loads this only for such a file.
import type { CheckOptions } from './check-options.ts'
import { addDocumentFindings } from './check-document.ts'
import { openExport, type ExportCheck } from './check-export.ts'
import { isBlank } from './file-lines.ts'
import type { FindingsReport } from './findings-report.ts'

/** Judges the lines of an export as a whole, and any other line by itself. */
export class LinesCheck {
  readonly #report: FindingsReport
  readonly #options: CheckOptions
  #number = 0
  #exported: ExportCheck | null = null

  constructor(report: FindingsReport, options: CheckOptions) {
    this.#report = report
    this.#options = options
  }

  take(line: Uint8Array): void {
    this.#number += 1
    if (this.#number === 1) this.#exported = openExport(line, this.#options)
    if (this.#exported !== null) this.#report.add(this.#exported.take(line), this.#number)
    else if (!isBlank(line)) addDocumentFindings(this.#report, line, this.#options, this.#number)
  }

  end(): void {
    if (this.#exported !== null) this.#report.addOfWhole(this.#exported.end())
  }
}
