package ws

import (
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/coder/websocket"
)

// closing is why a socket is closed: what the close frame says, and the cause of the end of the connection's
// context. The package comment says what the codes mean. Reasons are fixed texts, since a close frame has room
// for 123 bytes only.
type closing struct {
	code   websocket.StatusCode
	reason string
}

var _ error = closing{}

func (c closing) Error() string { return fmt.Sprintf("%d: %s", c.code, c.reason) }

var (
	errUnauthorized     = closing{4401, "unauthorized: connection_init comes first"}
	errForbidden        = closing{4403, "forbidden: the token is not valid"}
	errExpired          = closing{4403, "forbidden: the token has expired"}
	errSubprotocol      = closing{4406, "subprotocol not acceptable: use " + subprotocol}
	errInitTimeout      = closing{4408, "connection initialisation timeout"}
	errDuplicateID      = closing{4409, "an operation of this id is running already"}
	errTooManyInits     = closing{4429, "too many initialisation requests"}
	errShutdown         = closing{websocket.StatusServiceRestart, "the server is restarting"}
	errSlow             = closing{websocket.StatusTryAgainLater, "the messages are not being read"}
	errTooManySockets   = closing{websocket.StatusTryAgainLater, "the user has too many connections"}
	errUnchecked        = closing{websocket.StatusTryAgainLater, "the token can't be checked at the moment"}
	errNoPong           = closing{websocket.StatusTryAgainLater, "a ping was not answered"}
	errTooBig           = closing{websocket.StatusMessageTooBig, "the message is too big"}
	errInternal         = closing{websocket.StatusInternalError, "internal error"}
	errLost             = closing{websocket.StatusAbnormalClosure, "the connection was lost"}
	errBinary           = badMessage("binary message")
	errFrame            = badMessage("malformed frame")
	errUTF8             = badMessage("not UTF-8")
	errMalformed        = badMessage("malformed message")
	errUnknownType      = badMessage("unknown message type")
	errMalformedPayload = badMessage("malformed payload")
)

// badMessage is the closing for a message that the protocol does not know.
func badMessage(reason string) closing { return closing{4400, reason} }

// drains says whether queued messages are still worth writing.
func (c closing) drains() bool { return c != errSlow && c != errNoPong && c != errLost }

// readFailure is the closing that a failed read stands for.
func readFailure(err error) closing {
	if code := websocket.CloseStatus(err); code != -1 {
		return closing{code, "closed by the client"}
	}
	if errors.Is(err, websocket.ErrMessageTooBig) {
		return errTooBig
	}
	for _, lost := range []error{io.EOF, io.ErrUnexpectedEOF, net.ErrClosed} {
		if errors.Is(err, lost) {
			return errLost
		}
	}
	if _, broken := errors.AsType[net.Error](err); broken {
		return errLost
	}
	return errFrame
}
