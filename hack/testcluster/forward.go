package main

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"k8s.io/cri-streaming/pkg/streaming/portforward"
)

// serve answers the API server's requests for pods/portforward with Kubernetes' own streaming code, on the port that
// API servers expect. Nothing else of a kubelet's API is there.
func (k *kubelet) serve() error {
	certificate, err := selfSigned()
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/portForward/{namespace}/{pod}", func(w http.ResponseWriter, r *http.Request) {
		options, err := portforward.NewV4Options(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		name := r.PathValue("namespace") + "_" + r.PathValue("pod")
		portforward.ServePortForward(w, r, k, name, "", options, time.Minute, 10*time.Second, portforward.SupportedProtocols)
	})
	server := &http.Server{Addr: ":10250", Handler: mux, TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}}, TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){}}
	go func() { log.Printf("port forwarding ended: %v", server.ListenAndServeTLS("", "")) }()
	return nil
}

// PortForward connects the stream with a port of the pod's loopback, as container runtimes do.
func (k *kubelet) PortForward(ctx context.Context, name string, _ string, port int32, stream io.ReadWriteCloser) error {
	defer stream.Close()
	var found *sandbox
	k.mu.Lock()
	for _, s := range k.pods {
		if filepath.Base(s.dir) == name {
			found = s
		}
	}
	k.mu.Unlock()
	if found == nil || found.pause == nil {
		return fmt.Errorf("pod %s does not run", name)
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

// selfSigned makes a certificate, which API servers do not verify unless they are told a root for kubelets.
func selfSigned() (tls.Certificate, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "kubelet"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}
