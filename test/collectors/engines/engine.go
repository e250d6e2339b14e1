// Prints the captures of every line of a log that a pattern matches: go run go.go PATTERN-FILE LOG
package main

import (
	"bufio"
	"bytes"
	"os"
	"regexp"
)

func main() {
	pattern, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	log, err := os.ReadFile(os.Args[2])
	if err != nil {
		panic(err)
	}
	regex := regexp.MustCompile(string(bytes.TrimSuffix(pattern, []byte("\n"))))
	output := bufio.NewWriter(os.Stdout)
	defer output.Flush()
	for _, line := range bytes.Split(log, []byte("\n")) {
		if captures := regex.FindSubmatch(line); captures != nil {
			shown := captures[1:]
			if len(shown) == 9 { // the session id
				shown = append(append([][]byte{}, shown[:2]...), shown[3:]...)
			}
			output.Write(bytes.Join(shown, []byte(" ")))
			output.WriteByte('\n')
		}
	}
}
