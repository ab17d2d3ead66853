// Makes the known answers of checkpoints (test/fixtures/checkpoints/go.json) with the Go project's own packages: keys, notes and
// roots by golang.org/x/mod/sumdb, cosignatures by the standard library's Ed25519.
package main

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type vector struct {
	Size        int64    `json:"size"`
	Root        string   `json:"root"`
	Text        string   `json:"text"`
	Note        string   `json:"note"`
	Cosigned    string   `json:"cosigned"`
	OldSize     int64    `json:"old_size"`
	OldRoot     string   `json:"old_root"`
	Consistency []string `json:"consistency"`
}

type vectors struct {
	Origin      string   `json:"origin"`
	LogSeed     string   `json:"log_seed"`
	LogVkey     string   `json:"log_vkey"`
	WitnessName string   `json:"witness_name"`
	WitnessSeed string   `json:"witness_seed"`
	WitnessVkey string   `json:"witness_vkey"`
	Seconds     uint64   `json:"seconds"`
	Checkpoints []vector `json:"checkpoints"`
}

const (
	origin  = "countersign.example/v1/public/transparency"
	witness = "witness.example/w1"
	seconds = 1_763_700_000
)

func main() {
	logSeed := sha256.Sum256([]byte("a log's key for tests"))
	witnessSeed := sha256.Sum256([]byte("a witness's key for tests"))
	logKey := ed25519.NewKeyFromSeed(logSeed[:])
	witnessKey := ed25519.NewKeyFromSeed(witnessSeed[:])
	logVkey := must(note.NewEd25519VerifierKey(origin, logKey.Public().(ed25519.PublicKey)))
	witnessID := keyID(witness, 0x04, witnessKey)
	out := vectors{
		Origin:      origin,
		LogSeed:     hex.EncodeToString(logSeed[:]),
		LogVkey:     logVkey,
		WitnessName: witness,
		WitnessSeed: hex.EncodeToString(witnessSeed[:]),
		WitnessVkey: fmt.Sprintf("%s+%08x+%s", witness, witnessID, encode(0x04, witnessKey)),
		Seconds:     seconds,
	}
	signer := must(note.NewSigner(fmt.Sprintf("PRIVATE+KEY+%s+%08x+%s", origin, keyID(origin, 0x01, logKey),
		base64.StdEncoding.EncodeToString(append([]byte{0x01}, logSeed[:]...)))))
	hashes, reader := []tlog.Hash{}, tlog.HashReaderFunc(nil)
	reader = func(indexes []int64) ([]tlog.Hash, error) {
		found := make([]tlog.Hash, len(indexes))
		for at, index := range indexes {
			found[at] = hashes[index]
		}
		return found, nil
	}
	old := tlog.Tree{N: 0, Hash: must(tlog.TreeHash(0, reader))}
	for size := int64(0); size <= 300; size++ {
		if size > 0 {
			hashes = append(hashes, must(tlog.StoredHashes(size-1, []byte(fmt.Sprintf("leaf %d", size-1)), reader))...)
		}
		switch size {
		case 0, 1, 2, 7, 8, 255, 256, 257, 300:
			tree := tlog.Tree{N: size, Hash: must(tlog.TreeHash(size, reader))}
			out.Checkpoints = append(out.Checkpoints, checkpoint(old, tree, reader, signer, witnessKey, witnessID))
			old = tree
		}
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(out); err != nil {
		log.Fatal(err)
	}
}

func checkpoint(old, tree tlog.Tree, reader tlog.HashReader, signer note.Signer, key ed25519.PrivateKey, id uint32) vector {
	text := fmt.Sprintf("%s\n%d\n%s\n", origin, tree.N, tree.Hash)
	signed := string(must(note.Sign(&note.Note{Text: text}, signer)))
	made := vector{Size: tree.N, Root: tree.Hash.String(), Text: text, Note: signed, OldSize: old.N, OldRoot: old.Hash.String()}
	made.Cosigned = signed + cosignature(text, key, id)
	made.Consistency = []string{}
	if old.N > 0 {
		for _, hash := range must(tlog.ProveTree(tree.N, old.N, reader)) {
			made.Consistency = append(made.Consistency, hash.String())
		}
	}
	return made
}

func cosignature(text string, key ed25519.PrivateKey, id uint32) string {
	var blob []byte
	blob = binary.BigEndian.AppendUint32(blob, id)
	blob = binary.BigEndian.AppendUint64(blob, seconds)
	blob = append(blob, ed25519.Sign(key, []byte(fmt.Sprintf("cosignature/v1\ntime %d\n%s", seconds, text)))...)
	return fmt.Sprintf("— %s %s\n", witness, base64.StdEncoding.EncodeToString(blob))
}

func keyID(name string, kind byte, key ed25519.PrivateKey) uint32 {
	digest := sha256.Sum256([]byte(strings.Join([]string{name, "\n", string(append([]byte{kind}, key.Public().(ed25519.PublicKey)...))}, "")))
	return binary.BigEndian.Uint32(digest[:4])
}

func encode(kind byte, key ed25519.PrivateKey) string {
	return base64.StdEncoding.EncodeToString(append([]byte{kind}, key.Public().(ed25519.PublicKey)...))
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
