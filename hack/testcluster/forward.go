package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// PortForward connects the stream with a port of the pod's loopback, as container runtimes do.
func (k *kubelet) PortForward(ctx context.Context, name string, _ string, port int32, stream io.ReadWriteCloser) error {
	defer stream.Close()
	found, err := k.running(name)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "nsenter", "-t", fmt.Sprint(found.pause.Process.Pid), "-n", self, "dial", fmt.Sprintf("127.0.0.1:%d", port))
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	var complaint strings.Builder
	cmd.Stdout, cmd.Stderr = stream, &complaint
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() {
		io.Copy(in, stream)
		in.Close()
	}()
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("port %d: %s", port, strings.TrimSpace(complaint.String()))
	}
	return nil
}

// dial connects standard input and output with an address.
func dial(address string) error {
	c, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	go func() {
		io.Copy(c, os.Stdin)
		c.(*net.TCPConn).CloseWrite()
	}()
	_, err = io.Copy(os.Stdout, c)
	return err
}
