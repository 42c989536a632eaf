package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"k8s.io/cri-streaming/pkg/streaming/remotecommand"
	utilexec "k8s.io/utils/exec"
)

// ExecInContainer runs a command where the container's process runs: in its network, with its files and environment.
// A terminal is not supported.
func (k *kubelet) ExecInContainer(ctx context.Context, name, _, container string, command []string, in io.Reader, out, complaint io.WriteCloser, _ bool, _ <-chan remotecommand.TerminalSize, _ time.Duration) error {
	found, err := k.running(name)
	if err != nil {
		return err
	}
	found.mu.Lock()
	pid := found.pids[container]
	found.mu.Unlock()
	environment, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		return fmt.Errorf("container %s does not run", container)
	}
	argv := []string{"-t", fmt.Sprint(pid), "-n", "-m", "-r", "env", "-i"}
	for _, line := range bytes.Split(bytes.TrimRight(environment, "\x00"), []byte{0}) {
		line := string(line)
		if path, ok := strings.CutPrefix(line, "PATH="); ok {
			line = "PATH=" + filepath.Join(k.root, programsFolder) + ":" + path
		}
		argv = append(argv, line)
	}
	cmd := exec.CommandContext(ctx, "nsenter", append(argv, command...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, complaint
	cmd.WaitDelay = time.Second // standard input may stay open
	if err = cmd.Run(); errors.Is(err, exec.ErrWaitDelay) {
		return nil
	}
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		return utilexec.CodeExitError{Err: err, Code: ended.ExitCode()}
	}
	return err
}

const programsFolder = "programs"

// linkPrograms makes a folder with what images have on their PATH: the program of each image by its name, and the tools
// of BusyBox, which small images contain.
func (k *kubelet) linkPrograms() error {
	folder := filepath.Join(k.root, programsFolder)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	links := map[string]string{}
	for name, program := range k.images {
		if filepath.IsAbs(program) {
			links[name] = program
		}
	}
	if busybox, err := exec.LookPath("busybox"); err == nil {
		links["wget"] = busybox
	}
	for name, target := range links {
		if err := os.Symlink(target, filepath.Join(folder, name)); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
	}
	return nil
}
